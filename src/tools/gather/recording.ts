// recording: records a tab as a replay and as scripts; started and stopped, or for a duration.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { newRecordingFolder } from '../../store/files/recordings.ts';
import type { TaskMeta } from '../../store/tasks/task-ledger.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool, type Tool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';
import { EXPORTS, HAND_OVER_MS, MAX_BYTES } from '../../features/recording/recording-options.ts';

/** For tests of a recording that grows too large. */
const FAULTS =
  process.env['OPENCHROME_FAULTS'] === '1' ? { maxBytes: z.number().positive().optional() } : {};

const input = () => ({
  action: z.enum(['start', 'stop']).optional(),
  id: z.string().optional().describe('Task to stop'),
  duration_ms: z.number().int().min(1).max(86_400_000).optional(),
  exports: markUnlisted(z.array(z.enum(EXPORTS)).max(10).optional()),
  path: z.string().min(1).optional(),
  ...FAULTS,
});

type Input = z.output<z.ZodObject<ReturnType<typeof input>>>;

export const recording: Tool = defineTool({
  name: 'recording',
  description:
    'Record a tab as an HTML replay and as scripts: start, act, stop; or for duration_ms.',
  returns: 'start: {task_id, folder}; stop and record: {folder, files, …}',
  keywords: 'video film movie screencast capture replay playwright puppeteer macro script',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: false,
    duration: 'job',
    dialog: 'allowed',
    aside: true,
    withoutTab: ({ action }) => (action === undefined ? 'wait' : 'run'),
    timeoutMs: 40_000, // without a duration a client waits for the reply
    waitsMs: ({ duration_ms = 0 }) => duration_ms,
    large: true,
    items: 'steps',
    files: ['path'],
  },
  input,
  prepare: (given) => {
    if (given.id !== undefined && given.action !== 'stop')
      throw fail('invalid_argument', 'recording: "id" needs action "stop".', { argument: 'id' });
    return given;
  },
  examples: [
    { action: 'start' },
    { action: 'stop' },
    { duration_ms: 30_000, exports: ['html', 'playwright'] },
  ],
  run: async (given, context) => {
    if (given.action === 'start') return startRecording(given, context);
    if (given.action === 'stop') return stopRecording(given.id, context);
    const { duration_ms, exports, path, action: _, id: __, ...faults } = given;
    const { services, tab, job, signal, deadline, progress } = context;
    const { runRecording } = await import('../../features/recording/record.ts');
    const plan = {
      durationMs: duration_ms,
      exports: [...new Set(exports ?? EXPORTS)],
      folder: path ?? newRecordingFolder(services.home.recordings, Date.now()),
      maxBytes: (faults as { maxBytes?: number }).maxBytes ?? MAX_BYTES,
    };
    const timeMs = deadline.workMs(HAND_OVER_MS);
    const { redactor, secrets } = services;
    return runRecording(plan, { tab, job, redactor, secrets, signal, progress, timeMs });
  },
  assemble: async (kept, { code }) =>
    (await import('../../features/recording/assemble.ts')).assembleRecording(kept, code),
});

/**
 * Starts this tool as a task, and returns when it records. The folder is chosen here, so that the
 * reply can name it.
 */
const startRecording = async (
  given: Input,
  { services, session, folder, taskId, tabId = session.current?.id, signal }: Context,
): Promise<object> => {
  const { action: _, ...args } = given;
  await requireNotRecorded(services.tasks, session.name, tabId);
  const { path = newRecordingFolder(services.home.recordings, Date.now()) } = given;
  const { task_id, status } = await services.tasks.start({
    kind: recording.name,
    args: defined({ ...args, path, tabId, taskId }),
    session: session.name,
    folder,
  });
  await services.tasks.waitForProgress(task_id, signal);
  return { task_id, status, folder: path };
};

/** Rejects a second recording of the same tab. */
const requireNotRecorded = async (
  tasks: Context['services']['tasks'],
  session: string,
  tabId: string | undefined,
): Promise<void> => {
  const isSame = ({ args_summary: args }: { readonly args_summary: unknown }): boolean =>
    isRecord(args) && args['tabId'] === tabId;
  const found = (await listRunning(tasks, session)).find(isSame);
  if (found)
    throw fail('already_recording', `The recording ${found.task_id} of this tab is running.`, {
      task_id: found.task_id,
    });
};

const stopRecording = async (
  id: string | undefined,
  { services: { tasks }, session, signal }: Context,
): Promise<object> => {
  const task = id ?? (await findRunning(tasks, session.name));
  const { kind } = (await tasks.get(task)).meta;
  if (kind !== recording.name)
    throw fail('invalid_argument', `Task ${task} is a ${kind}, not a ${recording.name}.`, {
      argument: 'id',
    });
  const { task_id, status, error } = await tasks.finishEarly(task, signal);
  const found = await tasks.result(task_id);
  const result = found && 'result' in found ? (found.result as object) : {};
  return { task_id, status, ...(error && { error }), ...result };
};

/** The running recordings of the session, newest first. */
const listRunning = async (
  tasks: Context['services']['tasks'],
  session: string,
): Promise<readonly TaskMeta[]> => {
  const { tasks: running } = await tasks.list({
    statuses: ['RUNNING', 'PENDING'],
    kinds: [recording.name],
    limit: 100,
  });
  return running.filter((meta) => meta.session === session);
};

/** Finds the newest running recording of the session. */
const findRunning = async (
  tasks: Context['services']['tasks'],
  session: string,
): Promise<string> => {
  const [found] = await listRunning(tasks, session);
  if (found) return found.task_id;
  throw fail('task_not_found', `No recording is running in the session "${session}".`, {
    hint: 'Start one with [[startRecording]].',
  });
};
