// Finds the session and tab of a call, queues it, and ends it if the tab cannot respond.
import { fail, Failure } from '../core/failure.ts';
import { dialogOpenFailure } from '../browser/tabs/dialog.ts';
import { requirePage } from '../browser/tabs/require-page.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab, TabCall } from '../browser/tabs/tab.ts';
import { type Call, resolveEffect, known, type Step, readToolInput } from './call.ts';
import { quoteFromPage } from './quote.ts';
import { redactorFor } from './redactor-for.ts';

export const tab: Step = async (call, next) => {
  const { rooms, common, request } = call;
  const { traits } = known(call, 'tool');
  const session = rooms.browser.session(common.session ?? request.session);
  call.session = session;
  if (traits.scope !== 'tab') return next();

  const { signal } = known(call, 'deadline');
  const withoutTab = traits.withoutTab?.(readToolInput(call)) ?? 'open';
  if (withoutTab === 'run' && common.tabId === undefined) return next();
  if (withoutTab === 'wait' && common.tabId === undefined && !session.current)
    await waitForTab(call, session);
  const tab = await rooms.browser.requireTab(session, common.tabId, signal);
  call.tab = tab;
  tellOfLostTabs(call);
  if (traits.aside) return next();
  // A call that answers a dialog must not wait for the call that the dialog blocks.
  if (traits.dialog === 'answers') await inTab(call, tab, next);
  else await tab.queue.run(request.name, () => inTab(call, tab, next), signal);
};

/** Waits until another call has opened a tab in the session. */
const waitForTab = async (call: Call, session: Session): Promise<void> => {
  const { signal } = known(call, 'deadline');
  const stop = call.job?.stopRequested;
  call.request.onProgress?.({ done: 0, message: 'waiting for the first tab of the session' });
  try {
    await session.events.next(
      'selected',
      undefined,
      stop ? AbortSignal.any([signal, stop]) : signal,
    );
  } catch (error) {
    if (signal.aborted || !stop?.aborted) throw error;
    throw fail('cancelled', 'It was stopped before a tab was opened.');
  }
};

const needsPage = (call: Call): boolean => {
  const { needsPage: trait } = known(call, 'tool').traits;
  return typeof trait === 'function' ? trait(readToolInput(call)) : trait === true;
};

/** Runs the later steps; a crash, or a dialog that blocks this tool, ends them at once. */
const inTab = async (call: Call, tab: Tab, next: () => Promise<void>): Promise<void> => {
  call.hasTurn = true;
  const limit = known(call, 'deadline');
  const { dialog, loadsPages } = known(call, 'tool').traits;
  const blocked = dialog === 'blocked';
  if (tab.crashed && !loadsPages)
    throw fail('page_crashed', `The page at ${tab.url.slice(0, 200)} has crashed.`, {
      tabId: tab.id,
    });
  if (blocked && tab.dialog) throw dialogOpenFailure(tab.dialog);
  if (needsPage(call)) await requirePage(tab, limit.signal);
  const off = [
    tab.events.on('crashed', () =>
      limit.abort(
        fail('page_crashed', `The page at ${tab.url.slice(0, 200)} crashed during the call.`, {
          tabId: tab.id,
        }),
      ),
    ),
    tab.events.on('dialog', (dialog) => blocked && limit.abort(dialogOpenFailure(dialog))),
  ];
  try {
    await emitCall(call, tab, next);
  } finally {
    for (const unsubscribe of off) unsubscribe();
  }
};

/** Emits the tool call to the watchers of the tab. */
const emitCall = async (call: Call, tab: Tab, next: () => Promise<void>): Promise<void> => {
  const { name: tool, arguments: given } = call.request;
  const { loadsPages = false } = known(call, 'tool').traits;
  const said: TabCall = {
    tool,
    arguments: given ?? {},
    acts: resolveEffect(call) === 'act',
    loadsPages,
  };
  if (said.acts) tab.allowance.renew();
  tab.events.emit('call', said);
  try {
    await next();
    tab.events.emit('called', { ...said, data: call.data });
  } catch (error) {
    tab.events.emit('called', {
      ...said,
      failed: error instanceof Failure ? error.code : 'internal',
    });
    throw error;
  }
};

/** After a crash of Chrome, one note lists the lost tabs. */
const tellOfLostTabs = (call: Call): void => {
  const { session, notes } = call;
  const lost = session?.lostTabs.splice(0) ?? [];
  if (lost.length === 0) return;
  const shown = lost.slice(0, 3).map((url) => quoteFromPage(url, redactorFor(call)));
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : '';
  notes.push(
    `[Chrome crashed and was restarted; these tabs were lost: ${shown.join(', ')}${more}]`,
  );
};
