// handle_dialog: answers an open alert, confirm, prompt or beforeunload dialog.
import { z } from 'zod';
import { answerDialog } from '../../browser/tabs/dialog.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const handleDialog = defineTool({
  name: 'handle_dialog',
  description:
    'Answer the JavaScript dialog (alert, confirm, prompt, beforeunload) that is open in the tab. Replies name an open dialog; until it is answered its page stands still.',
  tier: 1,
  traits: { effect: 'act', scope: 'tab', observation: false, duration: 'instant', dialog: 'answers', timeoutMs: 5_000 },
  input: {
    accept: z.boolean().default(true),
    text: z.string().max(10_000).optional().describe('Answer to a prompt'),
  },
  examples: [{ accept: true }, { accept: true, text: 'Ada' }],
  run: async ({ accept, text }, { tab, signal }) => {
    const { kind, message } = await answerDialog(
      tab.cdp,
      tab.dialog,
      { accept, ...(text === undefined ? {} : { promptText: text }) },
      signal,
    );
    return { answered: accept ? 'accepted' : 'dismissed', kind, message: message.slice(0, 1000) };
  },
});
