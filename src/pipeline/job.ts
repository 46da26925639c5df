// Stores the results of a long-running tool: in a task's folder, or in memory for a direct call.
import { toFailure } from '../core/failure.ts';
import { settlesWithin } from '../core/time.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import { createWorkingFiles } from '../store/tasks/working-files.ts';
import type { TaskRun } from '../features/tasks/task-run.ts';
import type { Reply, Step, ValidCall, WorkingCall } from './call.ts';

/**
 * How long a cancelled tool may take to finish its current unit, which is still part of the result.
 */
const UNIT_MS = 1_500;

export const job: Step<ValidCall, WorkingCall> = async (call, next) => {
  const { services, tool, request, common } = call;
  const { onProgress = () => {}, task } = request;
  if (tool.traits.duration !== 'job') return next({ ...call, onProgress, job: undefined });
  if (!task) return next({ ...call, onProgress, job: createWorkingFiles(services.writer) });
  const run = await task.begin(common.session ?? request.session ?? 'default');
  if (!run) return { text: 'A worker of the cluster runs this task.', images: [], notes: [] };
  return runAsTask(call, run, next);
};

const runAsTask = async (
  call: ValidCall,
  run: TaskRun,
  next: (call: WorkingCall) => Promise<Reply>,
): Promise<Reply> => {
  const common = { ...call.common, output_mode: 'inline' } as const; // the result is already stored
  try {
    const job = await run.turn();
    const onProgress = run.progress.bind(run);
    const reply = await next({ ...call, common, job, onProgress });
    await run.complete(formatResult(reply), call.notes);
    return reply;
  } catch (error) {
    const failure = toFailure(toChromeFailure(error), (defect) => call.services.log.defect(defect));
    const { work } = call.course;
    if (work) await settlesWithin(work, UNIT_MS);
    await run.fail(failure);
    throw failure;
  }
};

/** The content of result.json: the tool's data after all steps. */
const formatResult = ({ text = '', json }: Reply): string =>
  json === undefined ? JSON.stringify({ text }) : text;
