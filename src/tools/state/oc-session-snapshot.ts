// oc_session_snapshot: saves the session's tabs, its logins and the host's memo.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const text = z.string().max(20_000).optional();

export const ocSessionSnapshot = defineTool({
  name: 'oc_session_snapshot',
  description:
    'Save tabs, scroll, form values, cookies, storage and your memo, for oc_session_resume ' +
    'after a restart.',
  keywords: 'save backup state memo tabs',
  tier: 1,
  traits: {
    effect: 'read',
    consent: () => ({ special: ['cookies'], pages: 'every' }),
    scope: 'browser',
    observation: false,
    duration: 'job',
    dialog: 'allowed',
    timeoutMs: 60_000,
  },
  input: () => ({
    name: z.string().min(1).max(200).optional(),
    objective: text,
    currentStep: text,
    nextActions: z.array(z.string().max(20_000)).max(1000).optional(),
  }),
  examples: [
    {
      objective: 'Book a room',
      currentStep: 'Form half filled',
      nextActions: ['Choose the date', 'Submit'],
    },
  ],
  run: async (
    { name, objective, currentStep, nextActions },
    { services, session, signal, progress },
  ) => {
    const [{ saveSession }, { SessionSnapshots }] = await Promise.all([
      import('../../features/session/session-snapshot.ts'),
      import('../../store/files/session-snapshots.ts'),
    ]);
    const memo = defined({
      objective,
      currentStep,
      nextActions,
    });
    const snapshots = new SessionSnapshots(services.home.snapshots);
    return saveSession({
      browser: services.browser,
      redactor: services.redactor,
      session,
      snapshots,
      name,
      memo,
      signal,
      progress,
    });
  },
});
