// Gives a long-running tool a place for its results: a task's folder where the call is the work of
// a task, memory where it is waited for.
import { toFailure } from '../core/failure.ts';
import { settlesWithin } from '../core/time.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import { createWorkingFiles } from '../store/tasks/working-files.ts';
import { type Call, known, type Reply, type Step } from './call.ts';

/**
 * How long a tool whose work was ended may take for the unit that it is in; what it still keeps is
 * part of the result.
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
  call.common = { ...call.common, output_mode: 'inline' }; // its result is stored already
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

/** What result.json says: the tool's data as it left the pipeline. */
const resultOf = ({ text = '', json }: Partial<Reply> = {}): string =>
  json === undefined ? JSON.stringify({ text }) : text;
