// Sets the call's deadline: the reply is sent in time and names the cause of a timeout.
import { fail, Failure } from '../core/failure.ts';
import { abortable, after, Deadline } from '../core/time.ts';
import { describeDialog } from '../browser/tabs/dialog.ts';
import { type Call, known, type Step, readToolInput } from './call.ts';

/** How long before the deadline a tab that has not responded is probed. */
const PROBE_BEFORE_MS = 500;

export const deadline: Step = async (call, next) => {
  const ms = resolveTimeout(call);
  let alive = true;
  const { reserveMs = 0 } = known(call, 'tool').traits;
  const wholeMs = ms + reserveMs;
  using limit = new Deadline(wholeMs, () => expired(call, ms, alive), cancellation(call));
  using _probe = after(Math.max(wholeMs - PROBE_BEFORE_MS, wholeMs / 2), () => {
    if (!call.tab) return;
    alive = false;
    void call.tab.answers(limit.signal).then((answered) => (alive = answered));
  });
  call.deadline = limit;
  await abortable(next(), limit.signal);
};

/** No client waits for a task: its tool decides how long it works. */
const TASK_MS = 24 * 60 * 60 * 1000;

const resolveTimeout = (call: Call): number => {
  const { timeoutMs, waitsMs } = known(call, 'tool').traits;
  if (call.common.timeout_ms !== undefined) return call.common.timeout_ms;
  if (call.request.task) return TASK_MS;
  return (waitsMs?.(readToolInput(call)) ?? 0) + timeoutMs;
};

/** The client's signal, with a Failure as its reason. */
const cancellation = ({ request: { signal } }: Call): AbortSignal | undefined => {
  if (!signal) return undefined;
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(
      signal.reason instanceof Failure
        ? signal.reason
        : fail('cancelled', 'The client cancelled the call.'),
    );
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return controller.signal;
};

const expired = (call: Call, ms: number, alive: boolean): Failure => {
  const { rooms, tab, request } = call;
  if (!tab && rooms.browser.health().state === 'starting')
    return fail('timeout', `Chrome was still being started after ${ms} ms.`, {
      hint: 'Call again: the start goes on meanwhile.',
    });
  if (tab?.dialog)
    return fail('dialog_open', `No answer within ${ms} ms: ${describeDialog(tab.dialog)}.`);
  if (tab?.leavingFor && !alive)
    return fail(
      'timeout',
      `The tab is on its way to ${tab.leavingFor.url.slice(0, 200)}, ` +
        `which has not answered within ${ms} ms.`,
      {
        tabId: tab.id,
        hint: 'Wait with wait_for {loadState: "load"}, or go elsewhere with navigate.',
      },
    );
  if (tab && !alive)
    return fail(
      'page_unresponsive',
      `The page at ${tab.url.slice(0, 200)} did not answer within ${ms} ms: ` +
        'its main thread is busy.',
      {
        tabId: tab.id,
      },
    );
  if (tab && !call.hasTurn)
    return fail('timeout', `The tab was still busy with ${tab.queue.running} after ${ms} ms.`, {
      tabId: tab.id,
    });
  return fail(
    'timeout',
    `${request.name} did not finish within ${ms} ms.`,
    tab ? { tabId: tab.id } : {},
  );
};
