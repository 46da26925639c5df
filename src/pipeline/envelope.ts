// Records a call in the task that it names; the task may reject it or report its budget in a note.
import { defined } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import { monotonicMs } from '../core/time.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { Signal } from '../policy/budget.ts';
import { estimateReplyTokens } from '../render/tokens.ts';
import type { RecordedCall } from '../features/tasks/envelope-record.ts';
import type { OpenEnvelope } from '../features/tasks/envelopes.ts';
import type { AdmittedCall, IdentifiedCall, Reply, Step } from './call.ts';

export const envelope: Step<IdentifiedCall, AdmittedCall> = async (call, next) => {
  const { taskId } = call.common;
  if (taskId === undefined || call.tool.traits.ledger) return next(call);
  const task = await call.services.tasks.envelopes.open(taskId);
  if (typeof task === 'string') {
    notRecorded(call, task);
    return next(call);
  }
  const { near: budget, policy } = task;
  await task.admit();
  const before = shownIn(call);
  try {
    const { allowedDomains } = policy;
    const reply = await next({ ...call, ...defined({ budget, allowedDomains }) });
    await record(call, task, taskId, { before, reply });
    return reply;
  } catch (error) {
    await record(call, task, taskId, { before, error: toChromeFailure(error) });
    throw error;
  }
};

/** The call still runs: the task is only a record of the host. */
const notRecorded = ({ notes }: IdentifiedCall, why: string): void =>
  void notes.push(`[task_not_recorded: ${why}]`);

/** The tab's location before the call, and the reply or the error of the call. */
interface Outcome {
  readonly before: CallLocation;
  readonly reply?: Reply;
  readonly error?: unknown;
}

const record = async (
  call: IdentifiedCall,
  task: OpenEnvelope,
  taskId: string,
  outcome: Outcome,
): Promise<void> => {
  try {
    const change = await task.record(recordedCall(call, outcome));
    if (change !== undefined) call.notes.push(`[task ${taskId}: ${change}]`);
  } catch (error) {
    if (!(error instanceof Failure)) call.services.log.defect(error);
    notRecorded(
      call,
      error instanceof Failure
        ? error.message.replace(/\.$/, '')
        : 'an error occurred in the server',
    );
  }
};

const recordedCall = (call: IdentifiedCall, { before, reply, error }: Outcome): RecordedCall => {
  const { name, traits } = call.tool;
  const { toolCall, tab } = call.course; // undefined if the arguments were invalid
  const failure = error instanceof Failure ? error : undefined;
  const code = error === undefined ? undefined : (failure?.code ?? 'internal');
  return {
    ts: Date.now(),
    tool: name,
    observation: toolCall?.observes ?? traits.observation === true,
    ok: error === undefined,
    code,
    ms: Math.round(monotonicMs() - call.startedAt),
    url: toolCall?.opens(tab?.url),
    tokens: estimateReplyTokens(
      failure
        ? { text: JSON.stringify(failure), images: [], notes: call.notes }
        : (reply ?? { images: [], notes: call.notes }),
    ),
    met: signalsOf(call, before, code),
  };
};

const signalsOf = (
  { course }: IdentifiedCall,
  before: CallLocation,
  code: string | undefined,
): Signal[] => {
  const met: Readonly<Record<Signal, boolean>> = {
    staleRefs: code === 'stale_ref',
    timeouts: TIMEOUT_CODES.has(code),
    noEffect: code === undefined && course.result?.hasNoEffect === true,
    hints: course.hint !== undefined,
    loginWalls: metLogin(course.tab, before),
  };
  return (Object.keys(met) as Signal[]).filter((signal) => met[signal]);
};

interface CallLocation {
  readonly tabId?: string | undefined;
  readonly url?: string | undefined;
}

/** The location of the tab that the call will use, without a request to Chrome. */
const shownIn = ({ services, common, request }: IdentifiedCall): CallLocation => {
  const session = services.browser.session(common.session ?? request.session);
  const tab = common.tabId === undefined ? session.current : session.tabs.get(common.tabId);
  return { tabId: tab?.id, url: tab?.url };
};

/** True if the call ended on a login page and did not start on it. */
const TIMEOUT_CODES = new Set<string | undefined>(['timeout', 'page_unresponsive']);

const metLogin = (tab: Tab | undefined, before: CallLocation): boolean =>
  tab?.facts?.login === true && (tab.id !== before.tabId || tab.url !== before.url);
