// What makes two addresses one page: the address to ask for, and the key under which it is known.

const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|ysclid|twclid|ttclid|igshid|li_fat_id|mc_cid|mc_eid|mkt_tok|_ga|_gl|_hsenc|_hsmi|__hs\w+|hsctatracking|vero_id|oly_anon_id|oly_enc_id|rb_clickid|s_cid|wickedid|srsltid|epik|_openstat|phpsessid|jsessionid|aspsessionid\w*)$/i;

const MAX_CHARS = 4096;

/** The address that is asked for; nothing where a link leads to no page. */
export const normaliseUrl = (link: string, base?: string): string | undefined => {
  if (link.length > MAX_CHARS || !URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:' && url.protocol !== 'file:')
    return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, '');
  dropTracking(url);
  return url.href.length > MAX_CHARS ? undefined : url.href;
};

/**
 * Only where there is something to drop: writing the parameters back spells some characters
 * otherwise.
 */
const dropTracking = (url: URL): void => {
  const names = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of names) url.searchParams.delete(name);
  if (url.search === '') url.search = ''; // a lone question mark
};

/**
 * Equal for addresses that mean one page: order of parameters, trailing slashes and ways of
 * escaping do not matter.
 */
export const buildUrlKey = (address: string): string => {
  const url = new URL(address);
  url.hash = '';
  url.searchParams.sort();
  const path = withoutFinalSlashes(unescape(url.pathname));
  return `${url.protocol}//${url.host.replace(/\.(?=$|:)/, '')}${path}${url.search}`;
};

/** Characters that need no escape are written plainly, escapes in capitals. */
const unescape = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });

const NO_PAGE =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|og[gv]|wav|flac|avi|mov|mkv|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|css|m?js|map|woff2?|ttf|otf|eot|wasm)$/i;

/** Whether the address itself says that it is a picture, a film, an archive, a part of a page. */
export const isNotPage = (address: string): boolean => NO_PAGE.test(new URL(address).pathname);

const SIGN_OUT = /(?:^|[^a-z])(?:log|sign)[-_]?(?:out|off)(?:$|[^a-z])/i;

/** Whether the address itself says that it ends a login. */
export const isSignOut = (address: string): boolean => {
  const { pathname, search } = new URL(address);
  return SIGN_OUT.test(pathname + search);
};

const withoutFinalSlashes = (path: string): string => {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
};
