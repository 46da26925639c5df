// A call failed on a login page: what it looked for is most likely behind the login.
import type { HintRule } from './rule.ts';

export const loginWall: HintRule = {
  name: 'login_wall',
  hint: ({ failure, login }) =>
    failure && login ? 'this page asks for a login: log in first, load a saved login (storage), or ask the user' : undefined,
};
