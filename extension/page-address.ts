// Decides which pages agents may use, by their addresses. Pure.

export const BLANK_PAGE = 'about:blank';

const PROTOCOLS = ['http:', 'https:', 'data:', 'blob:'];

/** A blob: page has the origin of the page that created it. */
const readProtocol = (url: string): string => {
  const { protocol, pathname } = new URL(url);
  return protocol === 'blob:' && URL.canParse(pathname) ? readProtocol(pathname) : protocol;
};

const isWebUrl = (url: string): boolean =>
  URL.canParse(url) && PROTOCOLS.includes(readProtocol(url));

/** Pages of web sites, and empty and inline pages, which have no access to other origins. */
export const isAllowedUrl = (url: unknown): boolean => {
  if (typeof url !== 'string') return false;
  return url === '' || url.startsWith('about:') || url.startsWith('chrome-error:') || isWebUrl(url);
};

/**
 * The pages that a command may open. Chrome opens its own pages at other about: addresses, and it
 * crashes if an extension's debugger opens about:version.
 */
export const mayOpenUrl = (url: unknown): boolean =>
  typeof url === 'string' && (url === BLANK_PAGE || isWebUrl(url));

export const describeScheme = (url: unknown): string =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : 'such';
