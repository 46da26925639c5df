// What a call looked for or waited for did not come, and the page is a login page: most likely it is behind the login.
import type { FailureCode } from '../../core/failure.ts';
import type { HintRule } from './rule.ts';

/** A tab that is gone, or an argument that is wrong, is so with a login too. */
const MISSED: ReadonlySet<FailureCode> = new Set([
  'element_not_found',
  'option_not_found',
  'target_hidden',
  'target_disabled',
  'key_not_found',
  'timeout',
] as const);

export const loginWall: HintRule = {
  name: 'login_wall',
  hint: ({ failure, login }) =>
    failure && login && MISSED.has(failure.code)
      ? 'this page asks for a login: log in first, load a saved login (storage), or ask the user'
      : undefined,
};
