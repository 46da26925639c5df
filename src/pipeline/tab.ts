// Finds the session and tab of a call, queues it, and ends it if the tab cannot respond.
import { quoteText, textIf } from '../core/text.ts';
import { fail, Failure } from '../core/failure.ts';
import { dialogOpenFailure } from '../browser/tabs/dialog.ts';
import { showsPdf } from '../browser/pdf/pdf-kind.ts';
import { requirePage } from '../browser/tabs/shown-page.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab, TabCall } from '../browser/tabs/tab.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { SessionCall, Step, TimedCall } from './call.ts';
import { quoteFromPage, redactorFor } from './quote.ts';

export const tab: Step<TimedCall, SessionCall, ToolOutput> = async (call, next) => {
  const { services, common, request, course } = call;
  const { traits } = call.tool;
  const session = services.browser.session(common.session ?? request.session);
  course.session = session;
  session.host = request.host ?? session.host;
  if (traits.scope !== 'tab') return next({ ...call, session, tab: undefined });

  const { signal } = call.deadline;
  const { withoutTab } = call.toolCall;
  if (withoutTab === 'run' && common.tabId === undefined)
    return next({ ...call, session, tab: undefined });
  if (withoutTab === 'wait' && common.tabId === undefined && !session.current)
    await waitForTab(call, session);
  reportEndedGrants(call, session);
  const tab = await services.browser.requireTab(session, common.tabId, signal);
  course.tab = tab;
  tellOfLostTabs(call, session);
  const run = (): Promise<ToolOutput> => next({ ...call, session, tab });
  if (traits.aside) return run();
  const acts = call.toolCall.effect === 'act';
  if (acts) await tab.control.untilFree(signal);
  // A call that answers a dialog must not wait for the call that the dialog blocks.
  if (traits.dialog === 'answers') return inTab(call, tab, run);
  for (;;) {
    const turn = async (): Promise<ToolOutput | undefined> =>
      acts && tab.control.holder !== undefined ? undefined : inTab(call, tab, run);
    const result = await tab.queue.run(request.name, turn, signal);
    if (result) return result;
    // The user took the tab over while the call waited in the queue: reads go first.
    await tab.control.untilFree(signal);
  }
};

/** Waits until another call has opened a tab in the session. */
const waitForTab = async (call: TimedCall, session: Session): Promise<void> => {
  const { signal } = call.deadline;
  const stop = call.job?.stopRequested;
  call.onProgress({ done: 0, message: 'waiting for the first tab of the session' });
  try {
    await session.events.next(
      'selected',
      undefined,
      stop ? AbortSignal.any([signal, stop]) : signal,
    );
  } catch (error) {
    if (signal.aborted || !stop?.aborted) throw error;
    throw fail('cancelled', 'The call was cancelled before a tab was opened.');
  }
};

/** Runs the later steps; a crash, or a dialog that blocks this tool, ends them at once. */
const inTab = async (
  call: TimedCall,
  tab: Tab,
  run: () => Promise<ToolOutput>,
): Promise<ToolOutput> => {
  call.course.hasTurn = true;
  const { deadline: limit } = call;
  const { dialog, loadsPages } = call.tool.traits;
  const blocked = dialog === 'blocked';
  if (tab.crashed && !loadsPages)
    throw fail('page_crashed', `The page at ${quoteText(tab.url)} has crashed.`, {
      tabId: tab.id,
    });
  if (blocked && tab.dialog) throw dialogOpenFailure(tab.dialog);
  if (needsPage(call)) await requirePage(tab, limit.signal);
  requireElements(call, tab);
  const off = [
    tab.events.on('crashed', () =>
      limit.abort(
        fail('page_crashed', `The page at ${quoteText(tab.url)} crashed during the call.`, {
          tabId: tab.id,
        }),
      ),
    ),
    tab.events.on('dialog', (dialog) => blocked && limit.abort(dialogOpenFailure(dialog))),
  ];
  try {
    return await emitCall(call, tab, run);
  } finally {
    for (const unsubscribe of off) unsubscribe();
  }
};

const needsPage = ({ toolCall, request }: TimedCall): boolean =>
  toolCall.needsPage === 'command' ? request.shell !== undefined : toolCall.needsPage;

/** Without a viewer, Chrome keeps the previous page, which the call would act on. */
const requireElements = ({ toolCall: { rejectsPdf } }: TimedCall, tab: Tab): void => {
  const isRejected = rejectsPdf === 'undrawn' ? tab.openedFile !== undefined : rejectsPdf;
  if (!isRejected || tab.leavingFor || !showsPdf(tab)) return;
  throw fail('no_page', `The tab shows the PDF ${quoteText(tab.shown.url)}, not a page.`, {
    tabId: tab.id,
    situation: 'pdf_without_elements',
  });
};

/** Emits the tool call to the watchers of the tab. */
const emitCall = async (
  call: TimedCall,
  tab: Tab,
  run: () => Promise<ToolOutput>,
): Promise<ToolOutput> => {
  const { name: tool, arguments: given } = call.request;
  const { loadsPages = false } = call.tool.traits;
  const said: TabCall = {
    tool,
    arguments: given ?? {},
    acts: call.toolCall.effect === 'act',
    loadsPages,
  };
  if (said.acts) tab.allowance.renew();
  tab.events.emit('call', said);
  try {
    const result = await run();
    tab.events.emit('called', { ...said, data: result.data });
    return result;
  } catch (error) {
    tab.events.emit('called', {
      ...said,
      failed: error instanceof Failure ? error.code : 'internal',
    });
    throw error;
  }
};

const GRANT_ENDS: Readonly<Record<Session['endedGrants'][number]['reason'], string>> = {
  stopped: 'Stop in the extension',
  ungrouped: 'moved out of the tab group',
  cancelled: "Cancel in Chrome's bar",
};

/** In the user's own Chrome, one note lists the tabs that the user took away. */
const reportEndedGrants = (call: TimedCall, session: Session): void => {
  const ended = session.endedGrants.splice(0).slice(0, MAX_LISTED);
  for (const { url, reason } of ended) {
    const tab = quoteFromPage(url, redactorFor(call));
    call.notes.push(`[The user ended your access to the tab ${tab}: ${GRANT_ENDS[reason]}]`);
  }
};

/** Maximum number of tabs that a note lists. */
const MAX_LISTED = 3;

/** After the end of Chrome, one note lists the lost tabs. */
const tellOfLostTabs = (call: TimedCall, session: Session): void => {
  const { notes } = call;
  const lost = session.lostTabs.splice(0);
  if (session.lostStorage) {
    session.lostStorage = false;
    notes.push('[Chrome ended, and with it the cookies and storage of this session]');
  }
  if (lost.length === 0) return;
  const shown = lost.slice(0, MAX_LISTED).map((url) => quoteFromPage(url, redactorFor(call)));
  const more = textIf(lost.length > MAX_LISTED, ` and ${lost.length - MAX_LISTED} more`);
  const end = session.lostBecause === 'idle' ? 'was closed while it was idle' : 'crashed';
  notes.push(`[Chrome ${end} and was restarted; these tabs were lost: ${shown.join(', ')}${more}]`);
};
