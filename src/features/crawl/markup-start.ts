// Skips the prolog of HTML and detects HTML, in linear time for any input.

/**
 * Returns the index after leading white space, comments and `<?xml …>`. Stops before an unclosed
 * one.
 */
const skipProlog = (html: string): number => {
  let at = skipBlanks(html, 0);
  for (let end = endOfAside(html, at); end !== undefined; end = endOfAside(html, at))
    at = skipBlanks(html, end);
  return at;
};

const skipBlanks = (html: string, from: number): number => {
  let at = from;
  while (at < html.length && (html.charCodeAt(at) <= 32 || html.charCodeAt(at) === 0xfeff)) at++;
  return at;
};

/** Returns the end of the comment or processing instruction at `at`; undefined if there is none. */
const endOfAside = (html: string, at: number): number | undefined => {
  if (html.startsWith('<!--', at)) return endAfter(html, '-->', at + 4);
  return html.startsWith('<?', at) ? endAfter(html, '>', at + 2) : undefined;
};

const endAfter = (html: string, text: string, from: number): number | undefined => {
  const found = html.indexOf(text, from);
  return found < 0 ? undefined : found + text.length;
};

/** Returns the index after the doctype; 0 if the page has none. */
export const endOfDoctype = (html: string): number => {
  const at = skipProlog(html);
  if (html.slice(at, at + 9).toLowerCase() !== '<!doctype') return 0;
  return endAfter(html, '>', at + 9) ?? 0;
};

/** Whether a text of unknown type starts like an HTML page. */
export const startsAsHtml = (text: string): boolean => {
  const at = skipProlog(text);
  return /^<(?:!doctype\s+html|html|head|body)\b/i.test(text.slice(at, at + 100));
};
