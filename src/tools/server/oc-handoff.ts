// oc_handoff: requests help from the user in a tab, and reports what changed.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs } from '../../toolkit/tool-description.ts';

/** Time to compare the state of the tab after the wait. */
const RESERVE_MS = 5_000;
/** A background task without a timeout waits this long. */
const MAX_WAIT_MS = 3_600_000;

const text = z.string().min(1).max(2_000).optional();

export const ocHandoff = defineTool({
  name: 'oc_handoff',
  description: 'Let the user do a step that you cannot (captcha, second factor), and wait for it.',
  returns: '{outcome, waited_ms, url, title, …}',
  keywords: 'human help user login 2fa otp captcha manual wait person',
  tier: 1,
  traits: {
    effect: 'read',
    recipe: { refused: 'the user acted in the tab' },
    scope: 'tab',
    observation: false,
    duration: 'job',
    resumes: true,
    dialog: 'allowed',
    aside: true,
    timeoutMs: 300_000,
    reserveMs: RESERVE_MS,
    negative: (data) => !['done', 'until'].includes((data as { outcome: string }).outcome),
  },
  input: () => ({
    reason: z.string().min(1).max(500),
    until: markListedAs(z.strictObject({ url: text, text, selector: text }).optional(), {
      type: 'object',
      description: 'url, text or selector',
    }),
  }),
  examples: [{ reason: 'Enter the code from your phone', until: { url: '**/account' } }],
  run: async ({ reason, until }, context) => {
    const { services, deadline } = context;
    const { handOff } = await import('../../features/consent/handoff.ts');
    return handOff(
      { ...context, browser: services.browser, waiting: await services.waiting() },
      {
        reason,
        until,
        timeoutMs: Math.min(Math.max(0, deadline.remainingMs - RESERVE_MS), MAX_WAIT_MS),
      },
    );
  },
});
