// Decides which CDP commands the extension forwards to Chrome, whatever the server requests. Pure.
import { getDomain } from 'tldts';
import { REFUSED_CODE } from '../src/browser/extension/link-commands.ts';
import { ALLOWED_METHODS } from './allowed-methods.ts';
import { BLANK_PAGE, describeScheme, isAllowedUrl, mayOpenUrl } from './page-address.ts';

/**
 * The error of a command that the extension rejects; the server turns it into
 * `not_supported_here`, with the data as the hint.
 */
export class Refusal extends Error {
  readonly code = REFUSED_CODE;
  constructor(
    message: string,
    readonly data?: string,
  ) {
    super(message);
  }
}

/** Chrome's own message for a target that does not exist, which the server knows. */
export class TargetGone extends Error {
  readonly code = -32_602;
  constructor() {
    super('No target with given id found');
  }
}

export type Params = Readonly<Record<string, unknown>>;

const ALLOWED: ReadonlySet<string> = new Set(ALLOWED_METHODS);

/** Commands that leave a page, which are allowed on every page. */
const LEAVING = new Set(['Page.navigate', 'Page.navigateToHistoryEntry']);

/**
 * Returns the parameters with which the command may be sent to a tab at `tabUrl`, or throws a
 * Refusal. `requestUrl`: the address of the paused request that the command names.
 */
export const checkCommand = (
  method: string,
  params: Params,
  tabUrl: string,
  requestUrl = '',
): Params => {
  if (!ALLOWED.has(method)) throw new Refusal(REASONS[method] ?? `${method} is not allowed.`);
  if (!isAllowedUrl(tabUrl) && !LEAVING.has(method))
    throw new Refusal(`Agents may not use ${describeScheme(tabUrl)} pages.`);
  return CHECKS[method]?.(params, tabUrl, requestUrl) ?? params;
};

const COOKIE_REASON = "Agents may only use the cookies of the tab's own site.";

const REASONS: Readonly<Record<string, string>> = {
  'Storage.getCookies': COOKIE_REASON,
  'Target.createTarget': 'Agents open tabs in their own tab group only.',
  'Emulation.setGeolocationOverride': 'The location cannot be emulated in the user’s Chrome.',
  'Tracing.start': 'Chrome gives extensions no performance traces.',
  'WebAuthn.enable': 'Virtual passkeys are not available in the user’s Chrome.',
};

type Check = (params: Params, tabUrl: string, requestUrl: string) => Params;

const checkUrl: Check = (params) => {
  const { url } = params;
  if (url !== undefined && !mayOpenUrl(url)) throw refuseToOpen(url);
  return params;
};

const refuseToOpen = (url: unknown): Refusal =>
  new Refusal(`Agents may not open ${describeScheme(url)} pages.`);

const checkCookie: Check = (params, tabUrl) => {
  const { url, domain, partitionKey } = params;
  const hosts = [
    ...(url === undefined ? [] : [readHost(url)]),
    ...(domain === undefined ? [] : [readDomain(domain)]),
  ];
  const isOwn = hosts.length > 0 && hosts.every((host) => isSameSite(host, tabUrl));
  if (!isOwn || partitionKey !== undefined) throw new Refusal(COOKIE_REASON);
  return params;
};

/** A response to a request of the page could change the cookies of the site that it names. */
const checkResponse: Check = (params, tabUrl, requestUrl) => {
  const { responseHeaders = [], responsePhrase = '' } = params;
  refuseFields(params, ['binaryResponseHeaders']);
  if (!Array.isArray(responseHeaders)) throw new Refusal('Headers must be a list.');
  if (!responseHeaders.every(isPlainHeader) || LINE_END.test(String(responsePhrase)))
    throw new Refusal('Headers must have valid names, and values of one line.');
  if (isSameSite(readHost(requestUrl), tabUrl)) return params;
  return { ...params, responseHeaders: responseHeaders.filter((item) => !isCookieEntry(item)) };
};

const LINE_END = /[\0\r\n]/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const isPlainHeader = (item: unknown): boolean => {
  const { name, value } = item as { readonly name: unknown; readonly value: unknown };
  return HEADER_NAME.test(String(name)) && !LINE_END.test(String(value));
};

/** Rejects parameters of an allowed command that OpenChrome does not use. */
const refuseFields = (params: Params, names: readonly string[]): Params => {
  const found = names.find((name) => params[name] !== undefined);
  if (found !== undefined) throw new Refusal(`The parameter ${found} is not allowed.`);
  return params;
};

const CHECKS: Readonly<Record<string, Check>> = {
  'Page.navigate': checkUrl,
  // A world with access to all origins reads the frames of other sites.
  'Page.createIsolatedWorld': (params) => refuseFields(params, ['grantUniveralAccess']),
  // The page would read the response of another site, with the cookies of that site.
  'Fetch.continueRequest': (params) => refuseFields(params, ['url']),
  'Fetch.continueResponse': checkResponse,
  'Fetch.fulfillRequest': checkResponse,
  'Network.setCookie': checkCookie,
  'Network.deleteCookies': checkCookie,
  'Network.setCookies': (params, tabUrl) => {
    const { cookies } = params;
    if (!Array.isArray(cookies)) throw new Refusal(COOKIE_REASON);
    for (const cookie of cookies) checkCookie(cookie as Params, tabUrl, '');
    return params;
  },
  // Without `urls`, Chrome returns the cookies of all frames of the page.
  'Network.getCookies': (params, tabUrl) => {
    const urls: readonly unknown[] = Array.isArray(params['urls']) ? params['urls'] : [tabUrl];
    if (!urls.every((url) => isSameSite(readHost(url), tabUrl))) throw new Refusal(COOKIE_REASON);
    return { urls };
  },
  'Network.loadNetworkResource': (params, tabUrl) => {
    checkUrl(params, tabUrl, '');
    if (isSameSite(readHost(params['url']), tabUrl)) return params;
    const options = params['options'] as Params | undefined;
    return { ...params, options: { ...options, includeCredentials: false } };
  },
  'Target.setAutoAttach': (params) => {
    if (params['flatten'] !== true) throw new Refusal('Only flat sessions are supported.');
    return params;
  },
};

const readHost = (url: unknown): string =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : '';

const readDomain = (domain: unknown): string =>
  typeof domain === 'string' ? domain.replace(/^\./, '') : '';

/** Whether the host has the registrable domain of the tab, or is the same host. */
const isSameSite = (host: string, tabUrl: string): boolean => {
  const own = readHost(tabUrl);
  if (host === '' || own === '') return false;
  if (host === own) return true;
  const domain = getDomain(own, { allowPrivateDomains: true });
  return domain !== null && domain === getDomain(host, { allowPrivateDomains: true });
};

/** An entry in the reply to `Page.getNavigationHistory`. */
interface HistoryEntry {
  readonly id: number;
  readonly url: string;
}

const readEntries = (history: Params): readonly HistoryEntry[] =>
  history['entries'] as readonly HistoryEntry[];

/** Removes the addresses and titles of pages that agents may not use from the history of a tab. */
export const hideForbiddenEntries = (history: Params): Params => ({
  ...history,
  entries: readEntries(history).map((entry) =>
    isAllowedUrl(entry.url) ? entry : { ...entry, ...HIDDEN },
  ),
});

const HIDDEN = { url: BLANK_PAGE, userTypedURL: BLANK_PAGE, title: '' };

/** Throws a Refusal if agents may not open the page of the entry. */
export const checkEntry = (history: Params, entryId: unknown): void => {
  const entry = readEntries(history).find(({ id }) => id === entryId);
  if (entry && !isAllowedUrl(entry.url)) throw refuseToOpen(entry.url);
};

const COOKIE_HEADER = /^(?:set-)?cookie2?$/i;
const RAW_HEADERS = new Set(['headersText', 'requestHeadersText']);
const COOKIE_LISTS = new Set(['associatedCookies', 'blockedCookies', 'exemptedCookies']);
/** Where the parameters of a network event contain headers, at most. */
const HEADER_DEPTH = 3;

/**
 * Removes the cookies from a network event: the requests of a page go to other sites too, with the
 * cookies of those sites.
 */
export const removeCookies = (method: string, params: Params): Params =>
  method.startsWith('Network.') || method.startsWith('Fetch.')
    ? (withoutCookies(params, HEADER_DEPTH) as Params)
    : params;

const withoutCookies = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.filter((item) => !isCookieEntry(item));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !COOKIE_HEADER.test(name) && !RAW_HEADERS.has(name))
      .map(([name, inner]) => [
        name,
        COOKIE_LISTS.has(name) ? [] : withoutCookies(inner, depth - 1),
      ]),
  );
};

/** A header in the list of a paused response. */
const isCookieEntry = (item: unknown): boolean =>
  typeof item === 'object' &&
  item !== null &&
  COOKIE_HEADER.test(String((item as { name?: unknown }).name));
