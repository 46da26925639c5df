// Stores the results of a long-running tool: in a task's folder, or in memory for a direct call.
import { toFailure } from '../core/failure.ts';
import { settlesWithin } from '../core/time.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import { createWorkingFiles } from '../store/tasks/working-files.ts';
import { type Call, known, type Reply, type Step } from './call.ts';

/**
 * How long a cancelled tool may take to finish its current unit, which is still part of the result.
 */
const UNIT_MS = 1_500;

export const job: Step = async (call, next) => {
  const { traits } = known(call, 'tool');
  if (traits.duration !== 'job') return next();
  if (call.request.task) return asTask(call, call.request.task, next);
  call.job = createWorkingFiles();
  await next();
};

type Task = NonNullable<Call['request']['task']>;

const asTask = async (call: Call, task: Task, next: () => Promise<void>): Promise<void> => {
  await task.begin(call.common.session ?? call.request.session ?? 'default');
  call.common = { ...call.common, output_mode: 'inline' }; // the result is already stored
  try {
    call.job = await task.turn();
    await next();
    await task.complete(resultOf(call.reply), call.notes);
  } catch (error) {
    const failure = toFailure(toChromeFailure(error), (defect) => call.rooms.log.defect(defect));
    if (call.work) await settlesWithin(call.work, UNIT_MS);
    await task.fail(failure);
    throw failure;
  }
};

/** The content of result.json: the tool's data after all steps. */
const resultOf = ({ text = '', json }: Partial<Reply> = {}): string =>
  json === undefined ? JSON.stringify({ text }) : text;
