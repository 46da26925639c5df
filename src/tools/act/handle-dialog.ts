// handle_dialog: answers an open JavaScript dialog and sets the policy for later ones.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { answerDialog, DIALOG_POLICIES } from '../../browser/tabs/dialog.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const handleDialog = defineTool({
  name: 'handle_dialog',
  description:
    'Answer the open JavaScript dialog, which blocks the page. policy: for later dialogs of the ' +
    'session.',
  returns: '{answered?: "accepted" | "dismissed", kind?, message?, policy?}',
  keywords: 'alert confirm prompt popup message',
  tier: 1,
  traits: {
    effect: 'act',
    recipe: 'call',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'answers',
    timeoutMs: 5_000,
  },
  input: () => ({
    accept: z.boolean().optional(),
    text: z.string().max(10_000).optional().describe('For a prompt'),
    policy: z.enum(DIALOG_POLICIES).optional(),
  }),
  examples: [{ accept: true }, { accept: true, text: 'Ada' }, { policy: 'dismiss' }],
  run: async ({ accept, text, policy }, { tab, session, signal }) => {
    if (policy) session.dialogs = policy;
    const set = policy ? { policy } : {};
    // Setting a policy other than `ask` also answers a dialog that is already open.
    if (policy && accept === undefined && text === undefined && (policy === 'ask' || !tab.dialog))
      return set;
    const accepted = accept ?? policy !== 'dismiss';
    const answer = defined({ accept: accepted, promptText: text });
    const { kind, message } = await answerDialog(tab.cdp, tab.dialog, answer, signal);
    return {
      answered: accepted ? 'accepted' : 'dismissed',
      kind,
      message: message.slice(0, 1000),
      ...set,
    };
  },
});
