// Sets the call's deadline: the reply is sent in time and names the cause of a timeout.
import { quoteText } from '../core/text.ts';
import { fail, Failure } from '../core/failure.ts';
import { abortable, after, Deadline } from '../core/time.ts';
import { describeDialog } from '../browser/tabs/dialog.ts';
import { humanHasControl } from '../browser/tabs/user-control.ts';
import type { Step, TimedCall, WorkingCall } from './call.ts';

/** How long before the deadline a tab that has not responded is probed. */
const PROBE_BEFORE_MS = 500;

export const deadline: Step<WorkingCall, TimedCall> = async (call, next) => {
  const ms = resolveTimeout(call);
  let alive = true;
  const { reserveMs = 0 } = call.tool.traits;
  const wholeMs = ms + reserveMs;
  using limit = new Deadline(wholeMs, () => expired(call, ms, alive), cancellation(call));
  using _probe = after(Math.max(wholeMs - PROBE_BEFORE_MS, wholeMs / 2), () => {
    const { tab } = call.course;
    if (!tab) return;
    alive = false;
    void tab.answers(limit.signal).then((answered) => (alive = answered));
  });
  return await abortable(next({ ...call, deadline: limit }), limit.signal);
};

/** No client waits for a task: its tool decides how long it works. */
const TASK_MS = 24 * 60 * 60 * 1000;

const resolveTimeout = ({ tool, common, request, toolCall }: WorkingCall): number => {
  if (common.timeout_ms !== undefined) return common.timeout_ms;
  return request.task ? TASK_MS : toolCall.waitsMs + tool.traits.timeoutMs;
};

/** The client's signal, with a Failure as its reason. */
const cancellation = ({ request: { signal } }: WorkingCall): AbortSignal | undefined => {
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

const expired = (call: WorkingCall, ms: number, alive: boolean): Failure => {
  const { services, request } = call;
  const { tab, hasTurn } = call.course;
  if (!tab && services.browser.health().state === 'starting')
    return fail('timeout', `Chrome was still starting after ${ms} ms.`, {
      hint: 'Call again: the start continues in the background.',
    });
  if (tab && !hasTurn && tab.control.holder !== undefined) return humanHasControl(tab.id);
  if (tab?.dialog)
    return fail('dialog_open', `No response within ${ms} ms: ${describeDialog(tab.dialog)}.`);
  if (tab?.leavingFor && !alive)
    return fail(
      'timeout',
      `The tab is navigating to ${quoteText(tab.leavingFor.url)}, which has not responded ` +
        `within ${ms} ms.`,
      {
        tabId: tab.id,
        hint: 'Wait with [[waitForLoad]], or open another page with [[open]].',
      },
    );
  if (tab && !alive)
    return fail(
      'page_unresponsive',
      `The page at ${quoteText(tab.url)} did not respond within ${ms} ms.`,
      { tabId: tab.id },
    );
  if (tab && !hasTurn)
    return fail('timeout', `The tab was still busy with ${tab.queue.running} after ${ms} ms.`, {
      tabId: tab.id,
    });
  return fail(
    'timeout',
    `${request.name} did not finish within ${ms} ms.`,
    tab ? { tabId: tab.id } : {},
  );
};
