// Records a call in the task that it names; the task may reject it or report its budget in a note.
import { Failure } from '../core/failure.ts';
import { monotonicMs } from '../core/time.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import type { Signal } from '../policy/budget.ts';
import { estimateReplyTokens } from '../render/reply-tokens.ts';
import type { RecordedCall } from '../features/tasks/envelope-history.ts';
import type { OpenEnvelope } from '../features/tasks/envelopes.ts';
import { type Call, known, type Step } from './call.ts';

export const envelope: Step = async (call, next) => {
  const { taskId } = call.common;
  if (taskId === undefined || known(call, 'tool').traits.ledger) return next();
  const task = call.rooms.tasks.envelopes.open(taskId);
  if (typeof task === 'string') {
    notRecorded(call, task);
    return next();
  }
  const { near, policy } = task;
  if (near !== undefined) call.budget = near;
  if (policy.allowedDomains) call.allowedDomains = policy.allowedDomains;
  task.admit();
  const before = shownIn(call);
  try {
    await next();
    await record(call, task, taskId, { before });
  } catch (error) {
    await record(call, task, taskId, { before, error: toChromeFailure(error) });
    throw error;
  }
};

/** The call still runs: the task is only a record of the host. */
const notRecorded = ({ notes }: Call, why: string): void =>
  void notes.push(`[task_not_recorded: ${why}]`);

/** The tab's location before the call, and the error of the call. */
interface Course {
  readonly before: CallLocation;
  readonly error?: unknown;
}

const record = async (
  call: Call,
  task: OpenEnvelope,
  taskId: string,
  course: Course,
): Promise<void> => {
  try {
    const change = await task.record(recordedCall(call, course));
    if (change !== undefined) call.notes.push(`[task ${taskId}: ${change}]`);
  } catch (error) {
    if (!(error instanceof Failure)) call.rooms.log.defect(error);
    notRecorded(
      call,
      error instanceof Failure ? error.message.replace(/\.$/, '') : 'the server met an error',
    );
  }
};

const recordedCall = (call: Call, { before, error }: Course): RecordedCall => {
  const { name, traits } = known(call, 'tool');
  const input = call.input as never; // undefined if the arguments were invalid
  const failure = error instanceof Failure ? error : undefined;
  const code = error === undefined ? undefined : (failure?.code ?? 'internal');
  return {
    ts: Date.now(),
    tool: name,
    observation:
      typeof traits.observation === 'function'
        ? input !== undefined && traits.observation(input)
        : traits.observation,
    ok: error === undefined,
    code,
    ms: Math.round(monotonicMs() - call.startedAt),
    url: call.input && traits.opens?.(input, call.tab?.url),
    tokens: estimateReplyTokens(
      failure
        ? { text: JSON.stringify(failure), images: [], notes: call.notes }
        : (call.reply ?? call),
    ),
    met: signalsOf(call, before, code),
  };
};

const signalsOf = (call: Call, before: CallLocation, code: string | undefined): Signal[] => {
  const { traits } = known(call, 'tool');
  const met: Readonly<Record<Signal, boolean>> = {
    staleRefs: code === 'stale_ref',
    timeouts: code === 'timeout' || code === 'page_unresponsive',
    noEffect: code === undefined && (traits.noEffect?.(call.data) ?? false),
    hints: call.hint !== undefined,
    loginWalls: metLogin(call, before),
  };
  return (Object.keys(met) as Signal[]).filter((signal) => met[signal]);
};

interface CallLocation {
  readonly tabId?: string | undefined;
  readonly url?: string | undefined;
}

/** The location of the tab that the call will use, without a request to Chrome. */
const shownIn = ({ rooms, common, request }: Call): CallLocation => {
  const session = rooms.browser.session(common.session ?? request.session);
  const tab = common.tabId === undefined ? session.current : session.tabs.get(common.tabId);
  return { tabId: tab?.id, url: tab?.url };
};

/** True if the call ended on a login page and did not start on it. */
const metLogin = ({ tab }: Call, before: CallLocation): boolean =>
  tab?.facts?.login === true && (tab.id !== before.tabId || tab.url !== before.url);
