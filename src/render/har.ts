// Renders captured requests as a HAR 1.2 log with the extra fields of Chrome DevTools, or as curl
// commands.
import type { CapturedRequest, Content } from '../core/captured-request.ts';
import { listDefined, listIf } from '../core/collections.ts';
import { compact, defined, ifDefined, valueIf } from '../core/defined.ts';
import { matchGroups, textAt } from '../core/text.ts';

export interface Har {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly pages: readonly HarPage[];
    readonly entries: readonly object[];
  };
}

interface HarPage {
  readonly id: string;
  readonly startedDateTime: string;
  readonly title: string;
  readonly pageTimings: object;
}

interface NameValue {
  readonly name: string;
  readonly value: string;
}

export const toHar = (requests: readonly CapturedRequest[], version: string): Har => {
  const pages = new HarPages();
  const entries = [...requests]
    .sort((a, b) => a.startedAt - b.startedAt)
    .map((request) => toEntry(request, pages.findPage(request)));
  return {
    log: { version: '1.2', creator: { name: 'OpenChrome', version }, pages: pages.list(), entries },
  };
};

/** The pages of the added requests, in the order of their first requests. */
class HarPages {
  readonly #pages = new Map<string, HarPage>();
  /** The last page of each tab and origin. */
  readonly #last = new Map<string, HarPage>();

  list(): HarPage[] {
    return [...this.#pages.values()];
  }

  /** Chrome does not report the page of a socket, so it is found by the tab and the origin. */
  findPage({
    tabId,
    documentUrl,
    startedAt,
    requestHeaders,
  }: CapturedRequest): HarPage | undefined {
    if (documentUrl === '') return this.#last.get(`${tabId} ${requestHeaders['origin'] ?? ''}`);
    const key = `${tabId} ${documentUrl}`;
    const page = this.#pages.get(key) ?? {
      id: `page_${this.#pages.size + 1}`,
      startedDateTime: isoTime(startedAt),
      title: documentUrl,
      pageTimings: {},
    };
    this.#pages.set(key, page);
    this.#last.set(`${tabId} ${findOrigin(documentUrl)}`, page);
    return page;
  }
}

const findOrigin = (url: string): string => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? url;

/** The HTTP version of a request that never reached the network. */
const UNKNOWN = 'unknown';

const isoTime = (ms: number): string => new Date(ms).toISOString();

const toEntry = (request: CapturedRequest, page: HarPage | undefined): object => {
  const timings = toTimings(request);
  const time = Object.entries(timings).reduce(
    (sum, [name, ms]) => (name === 'ssl' || ms < 0 ? sum : sum + ms),
    0,
  );
  const address = request.remoteAddress?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return defined({
    pageref: page?.id,
    startedDateTime: isoTime(request.startedAt),
    time,
    request: toRequest(request),
    response: toResponse(request),
    cache: {},
    timings,
    serverIPAddress: valueIf(isNumericAddress(address), address),
    _key: request.key,
    _resourceType: request.resourceType.toLowerCase(),
    _initiator: toInitiator(request),
    ...describeCache(request),
    _webSocketMessages: request.messages && toMessages(request, request.messages),
  });
};

const isNumericAddress = (address: string | undefined): boolean =>
  address !== undefined && /^[\d.]+$|:/.test(address);

const toRequest = ({
  method,
  url,
  protocol = UNKNOWN,
  requestHeaders,
  requestBody,
}: CapturedRequest): object =>
  defined({
    method,
    url: strictUrl(url),
    httpVersion: protocol,
    cookies: parseCookies(requestHeaders['cookie'], ';'),
    headers: pairs(requestHeaders),
    queryString: parseParameters(url),
    headersSize: -1,
    bodySize: requestBody ? (requestBody.size ?? -1) : 0,
    postData: requestBody && toPostData(requestBody, requestHeaders['content-type']),
  });

const toResponse = (request: CapturedRequest): object => {
  const {
    status = 0,
    statusText = '',
    protocol = UNKNOWN,
    responseHeaders = {},
    body,
    contentType,
    size,
    redirectedTo = '',
    error = null,
    transferred,
    from,
  } = request;
  return {
    status,
    statusText,
    httpVersion: protocol,
    cookies: parseCookies(responseHeaders['set-cookie'], '\n'),
    headers: pairs(responseHeaders),
    content: { size, mimeType: contentType || 'x-unknown', ...toContent(body) },
    redirectURL: redirectedTo,
    headersSize: -1,
    bodySize: from === undefined ? -1 : 0,
    _transferSize: transferred,
    _error: error,
  };
};

/**
 * Encodes characters that are invalid in a URL but that Chrome and the redactor leave as they are.
 */
const strictUrl = (url: string): string => {
  const [, host = '', rest = url] = matchGroups(/^([a-z][a-z\d+.-]*:\/\/[^/?#]*)(.*)$/is, url);
  return (
    host +
    rest.replace(/[^\w\-.~:/?#@!$&'()*+,;=%]/gu, (char) =>
      encodeURIComponent(/\p{Surrogate}/u.test(char) ? '\uFFFD' : char),
    )
  );
};

const toContent = ({ text, base64, cut, why }: Content): object =>
  defined({
    text: base64 ?? text,
    encoding: valueIf(base64 !== undefined, 'base64'),
    comment: cut ?? why,
  });

/** Either the fields of a form or a text, never both. */
const toPostData = ({ text, base64, parts, cut, why }: Content, mimeType = ''): object =>
  defined({
    mimeType,
    params: parts?.map(({ name, value, filename, type }) =>
      defined({ name, value, fileName: filename, contentType: type }),
    ),
    text: valueIf(!parts, text ?? base64 ?? ''),
    comment: cut ?? why,
  });

/** A header with several values has one value per line. */
const pairs = (headers: Readonly<Record<string, string>>): NameValue[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value.split('\n').map((line) => ({ name, value: line })),
  );

const parseCookies = (header = '', separator: string): NameValue[] =>
  header
    .split(separator)
    .map((cookie) => matchGroups(/^([^=;]+)=([^;]*)/, cookie.trimStart()))
    .filter((found) => found.length > 0)
    .map((found) => ({ name: textAt(found, 1), value: textAt(found, 2) }));

const parseParameters = (url: string): NameValue[] => {
  const [, query = ''] = matchGroups(/\?([^#]*)/, url);
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
};

type Timings = Readonly<
  Record<'blocked' | 'dns' | 'connect' | 'ssl' | 'send' | 'wait' | 'receive', number>
>;

/** A phase that did not occur is -1; without measurements, all time counts as waiting. */
const toTimings = ({ phases, ttfbMs, durationMs }: CapturedRequest): Timings => {
  const [total = 0] = listDefined(durationMs, ttfbMs);
  if (!phases) {
    const wait = Math.min(ttfbMs ?? total, total);
    return { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait, receive: total - wait };
  }
  const { blockedMs, dnsMs = -1, connectMs = -1, tlsMs = -1, sendMs, waitMs } = phases;
  const before = blockedMs + Math.max(0, dnsMs) + Math.max(0, connectMs) + sendMs + waitMs;
  return {
    blocked: blockedMs,
    dns: dnsMs,
    connect: connectMs,
    ssl: tlsMs,
    send: sendMs,
    wait: waitMs,
    receive: Math.max(0, total - before),
  };
};

const toInitiator = ({ initiator: { type, url, line } }: CapturedRequest): object =>
  defined({ type, url, lineNumber: ifDefined(line, (line) => line - 1) });

const describeCache = ({ from = '' }: CapturedRequest): object => {
  const [, cache] = matchGroups(/^(memory|disk)-cache$/, from);
  return compact({ _fromCache: cache, _fetchedViaServiceWorker: from === 'service-worker' });
};

const TEXT_OPCODE = 1;
const BINARY_OPCODE = 2;

const toMessages = (
  { startedAt }: CapturedRequest,
  { kept }: NonNullable<CapturedRequest['messages']>,
): object[] =>
  kept.map(({ direction, afterMs, kind, data }) => ({
    type: direction === 'sent' ? 'send' : 'receive',
    time: (startedAt + afterMs) / 1000,
    opcode: kind === 'text' ? TEXT_OPCODE : BINARY_OPCODE,
    data,
  }));

/** Headers that curl sets itself, or that belong to the connection of Chrome. */
const OMITTED = new Set(['content-length', 'host', 'connection', 'accept-encoding']);

/** A word in single quotes; a quote in it ends the word, is escaped, and starts a new one. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Renders a captured request as a curl command for a POSIX shell. */
export const renderCurl = ({
  method,
  url,
  requestHeaders,
  requestBody,
}: CapturedRequest): string => {
  const headers = Object.entries(requestHeaders)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `-H ${quoteWord(`${name}: ${value}`)}`);
  const body = requestBody?.text;
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl ${quoteWord(url)}`,
    ...listIf(!isPlain, `-X ${quoteWord(method)}`),
    ...headers,
    ...listIf(body, `--data-raw ${quoteWord(body ?? '')}`),
  ].join(' \\\n  ');
};
