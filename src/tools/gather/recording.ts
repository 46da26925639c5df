// recording: records what happens in a tab, for a time or until it is cancelled, as a replay and as scripts that do it again.
import { z } from 'zod';
import { newRecordingFolder } from '../../store/recordings.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { EXPORTS, HAND_OVER_MS, MAX_BYTES } from '../../work/recording/options.ts';

/** For tests of what becomes of a recording that grows too large. */
const FAULTS = process.env['OPENCHROME_FAULTS'] === '1' ? { maxBytes: z.number().positive().optional() } : {};

export const recording = defineTool({
  name: 'recording',
  description: 'Record what happens in a tab, as an HTML replay and scripts, into folder path. Use oc_task_start; cancelling ends it.',
  keywords: 'video film movie screencast capture replay playwright puppeteer macro script',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: false,
    duration: 'job',
    dialog: 'allowed',
    aside: true,
    timeoutMs: 40_000, // a call that names no time is one that somebody waits for
    waitsMs: ({ duration_ms = 0 }) => duration_ms,
    large: true,
    items: 'steps',
    files: ['path'],
  },
  input: () => ({
    duration_ms: z.number().int().min(1).max(86_400_000).optional(),
    exports: z.array(z.enum(EXPORTS)).max(10).optional(),
    path: z.string().min(1).optional(),
    ...FAULTS,
  }),
  examples: [{ duration_ms: 30_000, exports: ['html', 'playwright'] }],
  run: async ({ duration_ms, exports, path, ...faults }, { rooms, tab, job, signal, deadline, progress }) => {
    const { runRecording } = await import('../../work/recording/record.ts');
    const plan = {
      durationMs: duration_ms,
      exports: [...new Set(exports ?? EXPORTS)],
      folder: path ?? newRecordingFolder(rooms.home.recordings, Date.now()),
      maxBytes: (faults as { maxBytes?: number }).maxBytes ?? MAX_BYTES,
    };
    const timeMs = deadline.workMs(HAND_OVER_MS);
    const { redactor, secrets } = rooms;
    return runRecording(plan, { tab, job, redactor, secrets, signal, progress, timeMs });
  },
  assemble: async (kept, { code }) => (await import('../../work/recording/assemble.ts')).assembleRecording(kept, code),
});
