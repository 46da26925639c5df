// oc_session_resume: restores a saved session in new tabs, and reports the result of each.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocSessionResume = defineTool({
  name: 'oc_session_resume',
  description: 'Restore a snapshot of oc_session_snapshot in new tabs, and return its memo.',
  returns: '{id, name?, saved_at, memo, cookies, tabs: [...]}; list: the saved sessions',
  keywords: 'restore load continue tabs',
  tier: 2,
  traits: {
    effect: 'act',
    consent: ({ list }) => (list ? {} : { special: ['cookies'], pages: 'every' }),
    scope: 'browser',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 180_000,
  },
  input: () => ({
    id: z.string().min(1).max(200).optional().describe('Id or name (default: latest)'),
    list: z.boolean().default(false).describe('Only list snapshots'),
  }),
  examples: [{}, { list: true }],
  run: async ({ id, list }, { services, session, signal, progress, allowAddress }) => {
    const { SessionSnapshots } = await import('../../store/files/session-snapshots.ts');
    const snapshots = new SessionSnapshots(services.home.snapshots);
    if (list) return snapshots.list();
    const saved = await snapshots.load(id, session.name);
    const { resumeSession } = await import('../../features/session/resume.ts');
    return resumeSession({
      browser: services.browser,
      session,
      saved,
      allowAddress,
      signal,
      progress,
    });
  },
});
