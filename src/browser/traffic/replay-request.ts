// Sends a recorded request again from inside a page, with the page's cookies and origin.
import { attempt } from '../../core/attempt.ts';
import { listDefined } from '../../core/collections.ts';
import { quoteText } from '../../core/text.ts';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { PageScriptError, type Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Session } from '../tabs/session.ts';
import type { Tab } from '../tabs/tab.ts';
import type { ReplayAnswer, ReplayRequest } from '../../page/call-answers.ts';
import { headerValue, type Headers, type RequestRecord } from './request-record.ts';

export type { ReplayAnswer } from '../../page/call-answers.ts';

/** The tab and frame that send a request. */
export interface Sender {
  readonly tab: Tab;
  readonly frame: Frame;
}

/** The page that made the request, else a page of the same origin, else the current page. */
export const findSender = (
  session: Session,
  record: RequestRecord,
  tabId: string,
): Sender | undefined => {
  const origin = parseOrigin(record.documentUrl);
  const own = session.tabs.get(tabId);
  const tabs = [...listDefined(own), ...session.tabs.values()];
  for (const tab of tabs) {
    const frames = tab.frames.all();
    const frame =
      frames.find(({ id, url }) => id === record.frameId && parseOrigin(url) === origin) ??
      frames.find(({ url }) => parseOrigin(url) === origin);
    if (frame) return { tab, frame };
  }
  const { current } = session;
  return current && /^https?:/.test(current.url)
    ? { tab: current, frame: current.frames.main }
    : undefined;
};

const parseOrigin = (url: string): string => attempt(() => new URL(url).origin, '');

interface SendOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export type Sent = Pick<ReplayRequest, 'url' | 'method' | 'headers' | 'text' | 'base64'>;

export const sendFrom = async (
  frame: Frame,
  sent: Sent,
  { timeoutMs, maxBytes, signal }: SendOptions,
): Promise<ReplayAnswer> => {
  try {
    return await frame.call(inPage.replay.send, [{ ...sent, timeoutMs, maxBytes }], signal);
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    const [reason] = error.text.split('\n');
    throw fail('replay_failed', `The page could not send the request: ${quoteText(reason ?? '')}.`);
  }
};

/** Headers that Chrome sets itself; a script that sets them would only cause a CORS preflight. */
const SET_BY_CHROME = new RegExp(
  `^(?:${[
    ':.*',
    'host',
    'connection',
    'content-length',
    'cookie',
    'user-agent',
    'accept-encoding',
    'accept-language',
    'referer',
    'origin',
    'dnt',
    'te',
    'priority',
    'upgrade-insecure-requests',
    'sec-.*',
    'proxy-.*',
    'if-none-match',
    'if-modified-since',
    'cache-control',
    'pragma',
  ].join('|')})$`,
  'i',
);

/** The request in a form that can be sent again; undefined if its body was not kept completely. */
export const toSent = ({
  url,
  method,
  requestHeaders,
  postData,
}: RequestRecord): Sent | undefined => {
  if (
    postData &&
    (postData.incomplete || (postData.text === undefined && postData.base64 === undefined))
  )
    return undefined;
  return defined({
    url,
    method,
    headers: ownHeaders(requestHeaders),
    text: postData?.text === undefined ? undefined : postData.text,
    base64: postData?.base64 === undefined ? undefined : postData.base64,
  });
};

const ownHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !SET_BY_CHROME.test(name) && !/[\r\n]/.test(value),
    ),
  );

export const readSentContentType = ({ headers }: Sent): string =>
  headerValue(headers, 'content-type') ?? '';
