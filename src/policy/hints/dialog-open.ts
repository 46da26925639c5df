// A dialog blocks the page: nothing else works before it is answered.
import type { HintRule } from './rule.ts';

export const dialogOpen: HintRule = {
  name: 'dialog_open',
  hint: ({ failure }) =>
    failure?.code === 'dialog_open' ? 'handle_dialog {accept: true} or {accept: false}, then repeat this call' : undefined,
};
