// Lists everything that waits for the user: open dialogs, hung pages, hand-offs and approvals.
import type { Observer } from '../../features/observe/observer.ts';
import { defined } from '../../core/defined.ts';
import type { DecisionRow, WaitingRow } from './messages.ts';
import type { ObservedEngine } from './routes.ts';

export const listWaiting = async (
  _engine: ObservedEngine,
  observer: Observer,
): Promise<WaitingRow[]> => [...listDialogs(observer), ...listHung(observer)];

const listHung = (observer: Observer): WaitingRow[] =>
  observer.listTabs().flatMap(({ tabId, session, url, title, hungSince }) => {
    if (hungSince === undefined) return [];
    const text = `The page "${title || url}" does not respond.`;
    return {
      id: `hung-${tabId}`,
      kind: 'hung' as const,
      session,
      tabId,
      url,
      since: hungSince,
      text,
    };
  });

const listDialogs = (observer: Observer): WaitingRow[] =>
  observer.listTabs().flatMap(({ tabId, session, url, dialog }) => {
    if (!dialog) return [];
    const { kind, message, openedAt, defaultPrompt } = dialog;
    return defined({
      id: `dialog-${tabId}`,
      kind: 'dialog' as const,
      session,
      tabId,
      url,
      since: openedAt,
      text: message,
      dialogKind: kind,
      defaultPrompt,
    });
  });

export const listDecisions = async (_engine: ObservedEngine): Promise<DecisionRow[]> => [];
