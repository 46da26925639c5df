// Lists everything that waits for the user: hand-offs, approvals, open dialogs and hung pages.
import type { Observer } from '../../features/observe/observer.ts';
import type { TabView } from '../../features/observe/tab-view.ts';
import { callAll } from '../../core/collections.ts';
import { compact, defined } from '../../core/defined.ts';
import type { DecisionRow, WaitingRow } from './messages.ts';
import type { ObservedEngine } from './routes.ts';
import type { ListedWaiting } from '../../store/consent/waiting-files.ts';

export const listWaiting = async (
  engine: ObservedEngine,
  observer: Observer,
): Promise<WaitingRow[]> => {
  const questions = await (await engine.waiting()).listAll();
  return [
    ...questions.map(toQuestionRow),
    ...observer.listTabs().flatMap((tab) => [...toDialogRow(tab), ...toHungRow(tab)]),
  ];
};

const toQuestionRow = ({ item: question, isInterrupted }: ListedWaiting): WaitingRow => {
  const { id, kind, session, tabId, url, since, expiresAt, pid } = question;
  const state = { elsewhere: pid !== process.pid && !isInterrupted, interrupted: isInterrupted };
  const common = { id, kind, session, tabId, url, since, expiresAt, ...compact(state) };
  if (question.kind === 'handoff')
    return defined({ ...common, text: question.reason, until: question.until });
  const { effect, tool, host, summary } = question;
  return defined({ ...common, ...splitSummary(summary), effect, tool, host });
};

/** The arguments of the call follow the sentence as JSON. */
const splitSummary = (summary: string): Pick<WaitingRow, 'text' | 'detail'> => {
  const at = summary.indexOf(': {');
  return at < 0 ? { text: summary } : { text: summary.slice(0, at), detail: summary.slice(at + 2) };
};

const toDialogRow = ({ tabId, session, url, dialog }: TabView): WaitingRow[] => {
  if (!dialog) return [];
  const { kind, message, openedAt, defaultPrompt } = dialog;
  const row = { id: `dialog-${tabId}`, kind: 'dialog' as const, session, tabId, url };
  return [defined({ ...row, since: openedAt, text: message, dialogKind: kind, defaultPrompt })];
};

const toHungRow = ({ tabId, session, url, title, hungSince }: TabView): WaitingRow[] => {
  if (hungSince === undefined) return [];
  const row = { id: `hung-${tabId}`, kind: 'hung' as const, session, tabId, url };
  return [{ ...row, since: hungSince, text: `The page "${title || url}" does not respond.` }];
};

export const listDecisions = async (engine: ObservedEngine): Promise<DecisionRow[]> => {
  const kept = await (await engine.waiting()).approvals();
  return kept.map(({ id, effect, host, tool, scope, session, at, by }) =>
    defined({ id, effect, host, tool, scope, session, at, by }),
  );
};

/** Calls back when a question of this process was opened or has ended. */
export const watchWaiting = async (
  engine: ObservedEngine,
  onChange: () => void,
): Promise<() => void> => {
  const { events } = await engine.waiting();
  const off = [events.on('added', onChange), events.on('ended', onChange)];
  return () => callAll(off);
};
