// Decides which pages agents may use, by their addresses. Pure.

/** Pages of web sites, and empty and inline pages, which have no access to other origins. */
export const isAllowedUrl = (url: unknown): boolean => {
  if (typeof url !== 'string') return false;
  if (url === '' || url.startsWith('about:') || url.startsWith('chrome-error:')) return true;
  return URL.canParse(url) && ['http:', 'https:', 'data:', 'blob:'].includes(new URL(url).protocol);
};

export const describeScheme = (url: unknown): string =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : 'such';
