// Enforces the allowed domains: the tab before the call, the URLs it opens, and the final page.
import { textIf } from '../core/text.ts';
import type { GuardRefusal } from '../browser/guard/domain-guard.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import { isLoadFailure } from '../browser/tabs/load-failure.ts';
import { domainNotAllowedFailure, explainRefusal } from '../policy/domains.ts';
import type { SessionCall } from './call.ts';
import { quoteFromPage, redactorFor } from './quote.ts';

/** Throws if the call may not reach the URL. */
export const allowDomain = ({ rooms, allowedDomains }: SessionCall, url: string): void => {
  const refusal = rooms.browser.guard.policyFor(allowedDomains).judgeUrl(url);
  if (refusal) throw domainNotAllowedFailure(refusal, url);
};

export const withinDomains = async <T>(
  call: SessionCall,
  next: (call: SessionCall) => Promise<T>,
): Promise<T> => {
  const { tab } = call;
  if (tab && call.tool.traits.aside) return watchWithin(call, tab, next);
  await holdTab(call);
  let result: T;
  try {
    result = await runWithin(call, () => next(call));
    await leaveForbiddenPage(call);
  } catch (error) {
    const untold = takeRefusals(call);
    const cause = causeOf(error, untold.refusals);
    tell(call, { ...untold, refusals: untold.refusals.filter((refused) => refused !== cause) });
    throw cause ? domainNotAllowedFailure(cause.refusal, cause.url) : error;
  }
  tell(call, takeRefusals(call));
  return result;
};

const runWithin = <T>({ allowedDomains, rooms }: SessionCall, work: () => Promise<T>): Promise<T> =>
  allowedDomains ? rooms.browser.guard.within(allowedDomains, work) : work();

/**
 * A call that only watches runs beside other calls: their domains apply, and their replies report
 * the refused requests.
 */
const watchWithin = <T>(
  call: SessionCall,
  tab: Tab,
  next: (call: SessionCall) => Promise<T>,
): Promise<T> => {
  allowDomain(call, tab.url);
  return next(call);
};

/** Restricts the tab to the domains of the call's task until a call of another task uses it. */
const holdTab = async (call: SessionCall): Promise<void> => {
  const { tab, allowedDomains } = call;
  if (!tab) return;
  const { dialog, loadsPages } = call.tool.traits;
  // A call that answers a dialog runs beside another call, whose domains apply.
  if (dialog !== 'answers') await tab.guard.narrow(allowedDomains);
  if (!loadsPages) tab.guard.requireControls(); // a page without a control can only be left
  if (!loadsPages) allowDomain(call, tab.url);
};

/** A page from the history is shown without a request, so its URL is checked here. */
const leaveForbiddenPage = async ({ tab, deadline }: SessionCall): Promise<void> => {
  const refusal = tab && !tab.closed ? tab.guard.judge(tab.url) : undefined;
  if (!tab || !refusal) return;
  const { url } = tab;
  if (tab.ours) await tab.cdp.send('Page.navigate', { url: 'about:blank' }, deadline.signal);
  throw domainNotAllowedFailure(refusal, url);
};

/** If the guard rejects a page's request, Chrome reports a load failure without this cause. */
const causeOf = (error: unknown, refused: readonly GuardRefusal[]): GuardRefusal | undefined =>
  isLoadFailure(error) ? refused.findLast(({ ofPage }) => ofPage) : undefined;

interface Untold {
  readonly refusals: readonly GuardRefusal[];
  /** The number of refusals that were not kept. */
  readonly more: number;
}

const SHOWN = 3;

/**
 * Adds a note about the refusals since the last reply. It names only hosts, because the page
 * chooses its paths.
 */
const tell = (call: SessionCall, { refusals, more }: Untold): void => {
  if (refusals.length === 0) return;
  const redactor = redactorFor(call);
  const describe = ({ what, url, refusal }: GuardRefusal): string => {
    const host = quoteFromPage(refusal.host || url.split(':', 1).join(), redactor);
    return `${what} ${host} (${explainRefusal(refusal)})`;
  };
  const lines = [...new Set(refusals.map(describe))];
  const rest = refusals.length + more - Math.min(lines.length, SHOWN);
  const end = textIf(rest > 0, ` and ${rest} more`);
  call.notes.push(`[refused by the domain guard: ${lines.slice(0, SHOWN).join('; ')}${end}]`);
};

const takeRefusals = (call: SessionCall): Untold => {
  const taken = tabsOf(call).map((tab) => tab.guard.takeUntold());
  return {
    refusals: taken.flatMap(({ refusals }) => refusals),
    more: taken.reduce((sum, { more }) => sum + more, 0),
  };
};

/**
 * The call's tab and the tabs that it opened; without a tab, the tabs in which no other call runs.
 */
const tabsOf = ({ tab, session }: SessionCall): Tab[] => {
  const all = [...session.tabs.values()];
  return tab
    ? [tab, ...all.filter((other) => other.guard.openerId === tab.id)]
    : all.filter(({ queue }) => !queue.running);
};
