// A dialog blocks the page: nothing else works before it is answered.
import type { HintRule } from './rule.ts';

export const dialogOpen: HintRule = {
  name: 'dialog_open',
  hint: ({ failure }) =>
    failure?.code === 'dialog_open' ? 'handle_dialog {action: "accept"} or {action: "dismiss"}, then repeat this call' : undefined,
};
