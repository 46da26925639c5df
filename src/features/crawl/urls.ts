// Normalizes URLs, builds the key that identifies a page, and detects non-page URLs.
import { parseUrl } from '../../core/text.ts';

const CRAWLED_PROTOCOLS = new Set<string>(['http:', 'https:', 'file:']);

/** Parameters for tracking and session ids; each item is a regular expression. */
const TRACKING_NAMES = [
  String.raw`utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|ysclid|twclid|ttclid`,
  String.raw`igshid|li_fat_id|mc_cid|mc_eid|mkt_tok|_ga|_gl|_hsenc|_hsmi|__hs\w+|hsctatracking`,
  String.raw`vero_id|oly_anon_id|oly_enc_id|rb_clickid|s_cid|wickedid|srsltid|epik|_openstat`,
  String.raw`phpsessid|jsessionid|aspsessionid\w*`,
];
const TRACKING = new RegExp(`^(?:${TRACKING_NAMES.join('|')})$`, 'i');

const MAX_CHARS = 4096;

/** Returns the URL to request; undefined if a link cannot lead to a page. */
export const normaliseUrl = (link: string, base?: string): string | undefined => {
  const url = link.length <= MAX_CHARS && parseUrl(link, base);
  if (!url || !CRAWLED_PROTOCOLS.has(url.protocol)) return undefined;
  // Every write to a URL parses it again, so the parts that it does not have are not written.
  if (url.href.includes('#')) url.hash = '';
  if (url.href.includes('@')) {
    url.username = '';
    url.password = '';
  }
  if (url.pathname.includes(';')) url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, '');
  if (url.href.includes('?')) dropTracking(url);
  return url.href.length > MAX_CHARS ? undefined : url.href;
};

/** Deletes only existing parameters, because any write to `searchParams` re-encodes the query. */
const dropTracking = (url: URL): void => {
  const names = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of names) url.searchParams.delete(name);
  if (url.search === '') url.search = ''; // removes a lone question mark
};

const MAX_KEYS = 10_000;
const keys = new Map<string, string>();

/**
 * Returns equal keys for URLs of one page: ignores parameter order, trailing slashes and encoding.
 * Remembers keys, because the pages of a site link to the same URLs.
 */
export const buildUrlKey = (address: string): string => {
  const known = keys.get(address);
  if (known !== undefined) return known;
  if (keys.size >= MAX_KEYS) keys.clear();
  const key = createKey(address);
  keys.set(address, key);
  return key;
};

const createKey = (address: string): string => {
  const url = new URL(address);
  url.hash = '';
  url.searchParams.sort();
  const path = withoutFinalSlashes(unescape(url.pathname));
  return `${url.protocol}//${url.host.replace(/\.(?=$|:)/, '')}${path}${url.search}`;
};

/** Decodes unreserved characters and writes the other escapes in upper case. */
const unescape = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });

/** File extensions of non-page URLs; each item is a regular expression. */
const NO_PAGE_EXTENSIONS = [
  'png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?',
  'mp[34]|m4[av]|webm|og[gv]|wav|flac|avi|mov|mkv',
  'zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar',
  'css|m?js|map|woff2?|ttf|otf|eot|wasm',
];
const NO_PAGE = new RegExp(String.raw`\.(?:${NO_PAGE_EXTENSIONS.join('|')})$`, 'i');

/** Whether the file extension is that of an image, video, archive or page resource. */
export const isNotPage = (address: string): boolean => NO_PAGE.test(new URL(address).pathname);

const SIGN_OUT = /(?:^|[^a-z])(?:log|sign)[-_]?(?:out|off)(?:$|[^a-z])/i;

/** Whether the URL looks like a sign-out link. */
export const isSignOut = (address: string): boolean => {
  const { pathname, search } = new URL(address);
  return SIGN_OUT.test(pathname + search);
};

const withoutFinalSlashes = (path: string): string => {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
};
