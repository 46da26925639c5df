// Chrome's URL patterns: `*` for any text, `?` for one character, a backslash for the character itself.

export const toUrlMatcher = (pattern: string): ((url: string) => boolean) => {
  if (pattern === '*') return () => true;
  const source = pattern.replace(/\\(.)|[*?]|[.+^${}()|[\]\\]/gs, (token, escaped: string | undefined) => {
    if (escaped !== undefined) return escapeRegExp(escaped);
    if (token === '*') return '.*';
    return token === '?' ? '.' : escapeRegExp(token);
  });
  const expression = new RegExp(`^${source}$`, 's');
  return (url) => expression.test(url);
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
