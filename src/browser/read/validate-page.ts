// Validates a page: load status, failed requests, console errors and checks of its content.
import { defined, ifDefined } from '../../core/defined.ts';
import { textBefore, textIf } from '../../core/text.ts';
import type { Counted, ValidateAnswer, Vitals } from '../../page/read-answers.ts';
import { isGone } from '../cdp/errors.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';
import type { ConsoleEntry } from '../traffic/console-entry.ts';
import type { RequestRecord } from '../traffic/request-record.ts';

type PageChecks = Omit<ValidateAnswer, 'vitals'>;
export type { Vitals } from '../../page/read-answers.ts';

interface FailedLoad {
  readonly url: string;
  readonly method: string;
  readonly status?: number;
  readonly error?: string;
}

interface Validation {
  readonly status?: number;
  /** Results of the checks in the page; absent if the page cannot respond. */
  readonly checks?: PageChecks;
  readonly vitals?: Vitals;
  readonly consoleErrors: Counted;
  readonly consoleWarnings: number;
  readonly requests: number;
  readonly failedRequests: { readonly count: number; readonly first: readonly FailedLoad[] };
}

const MAX_NAMED = 5;
const MAX_MESSAGE = 200;

/** Positions in the request and console logs at which the records of a page begin. */
interface Marks {
  readonly requests: number;
  readonly console: number;
}

export const markPosition = ({ traffic }: Tab): Marks => ({
  requests: traffic.requests.cursor,
  console: traffic.console.cursor,
});

/** The positions of the current document: from its first request on, if that is still recorded. */
export const findDocumentMarks = ({ traffic, frames }: Tab): Marks => {
  const document = traffic.document(frames.main.loaderId);
  if (!document) return { requests: 0, console: 0 };
  let first: RequestRecord = document;
  while (first.redirectedFrom) first = first.redirectedFrom;
  const before = [...traffic.console].findLast(({ at }) => at < first.startedAt);
  return { requests: first.sequence - 1, console: before?.sequence ?? 0 };
};

export const validate = async (
  tab: Tab,
  { requests: fromRequest, console: fromMessage }: Marks,
  signal: AbortSignal,
): Promise<Validation> => {
  const answer = await askPage(tab, signal);
  const { traffic, frames } = tab;
  const requests = traffic.requests.since(fromRequest);
  const messages = traffic.console.since(fromMessage);
  const errors = messages.filter(
    ({ level, handledLater, requestId }) =>
      level === 'error' && !handledLater && requestId === undefined,
  );
  const failed = requests.filter(hasFailed);
  const status = traffic.document(frames.main.loaderId)?.status;
  return defined({
    status,
    ...answer,
    consoleErrors: {
      count: errors.length,
      first: distinct(errors.map(toMessage)).slice(0, MAX_NAMED),
    },
    consoleWarnings: messages.filter(({ level }) => level === 'warning').length,
    requests: requests.length,
    failedRequests: { count: failed.length, first: failed.slice(0, MAX_NAMED).map(toFailed) },
  });
};

const askPage = async (
  tab: Tab,
  signal: AbortSignal,
): Promise<Pick<Validation, 'checks' | 'vitals'>> => {
  if (tab.dialog) return {};
  try {
    const { vitals, ...checks } = await tab.frames.main.call(inPage.validate.read, [], signal);
    tab.title = checks.title;
    return { checks, vitals };
  } catch (error) {
    if (isGone(error)) return {}; // a navigation replaced the page
    throw error;
  }
};

/** A request that the page cancelled did not fail. */
const hasFailed = ({ failure, status = 0 }: RequestRecord): boolean =>
  failure ? !failure.canceled : status >= 400;

const toFailed = ({ url, method, status, failure }: RequestRecord): FailedLoad =>
  defined({
    url: url.slice(0, 300),
    method,
    error: ifDefined(failure, (failure) => failure.error.replace(/^net::/, '')),
    status: !failure && status ? status : undefined,
  });

const toMessage = ({ text, url, line }: ConsoleEntry): string => {
  const file = url?.replace(/^.*\/(?=[^/]+$)/, '').slice(0, 80);
  const where = textIf(url, ` (${file}${textIf(line !== undefined, `:${line}`)})`);
  return `${textBefore(text, '\n').slice(0, MAX_MESSAGE)}${where}`;
};

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

/** Reads the web vitals of the page in a tab. */
export const readVitals = (tab: Tab, signal: AbortSignal): Promise<Vitals> =>
  tab.frames.main.call(inPage.vitals.read, [], signal);
