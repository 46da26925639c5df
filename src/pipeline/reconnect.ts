// If the page or Chrome goes away during a call, retries a read; an action is never repeated.
import { fail, Failure } from '../core/failure.ts';
import { Disconnected, isGone } from '../browser/cdp/errors.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { PermittedCall, SessionCall, Step } from './call.ts';

export const reconnect: Step<PermittedCall, PermittedCall, ToolOutput> = async (call, next) => {
  try {
    return await next(call);
  } catch (error) {
    if (isTabClosed(error) && isStillOpen(call)) throw lostConnection(call, error);
    if (!isGone(error)) throw error;
    if (call.toolCall.effect === 'act') throw lostDuringAction(call, error);
    if (call.tab?.closed) throw lostTab(call, error);
    return next(call); // only the document changed: the read is repeated in the new one
  }
};

const lostDuringAction = (call: SessionCall, error: unknown): unknown => {
  const what = describeLoss(call);
  return fail(
    'outcome_unknown',
    `${call.request.name}: ${what} before the outcome was known.`,
    tabId(call),
    error,
  );
};

const describeLoss = (call: SessionCall): string => {
  if (!call.tab?.closed) return 'the page changed';
  return isStillOpen(call) ? 'the connection to the tab was lost' : 'the tab was closed';
};

const isTabClosed = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'tab_closed';

/** In the user's own Chrome, a tab can be detached from without being closed. */
const isStillOpen = ({ tab, services }: SessionCall): boolean =>
  tab !== undefined && services.browser.isStillOpen(tab);

const lostConnection = (call: SessionCall, error: unknown): Failure =>
  fail(
    'chrome_disconnected',
    'The connection to the tab was lost during the call. The tab is still open.',
    { ...tabId(call), hint: 'Call again: the next call connects again.' },
    error,
  );

const lostTab = (call: SessionCall, error: unknown): unknown => {
  if (isStillOpen(call)) return lostConnection(call, error);
  if (call.services.browser.running && error instanceof Disconnected)
    return fail('tab_closed', 'The tab was closed during the call.', tabId(call), error);
  return fail(
    'chrome_disconnected',
    'Chrome exited during the call; its tabs are lost.',
    {},
    error,
  );
};

const tabId = ({ tab }: SessionCall): { tabId?: string } => (tab ? { tabId: tab.id } : {});
