// Prepares HTML for the parser: decodes its charset, skips its prolog, cuts markup if too large.
import { TextDecoder } from 'node:util';

/** Above these limits the parser needs quadratic time, and its thread is blocked meanwhile. */
const MAX_DEPTH = 12_000;
const MAX_MARKS = 100_000;
const MAX_ATTRIBUTES = 5000;

/**
 * Elements that do not add depth: void elements, and elements that the next sibling closes (p, li,
 * td).
 */
const FLAT = new Set([
  ...'area base br col embed hr img input link meta source track wbr'.split(' '),
  ...'p li dt dd td th tr thead tbody tfoot option optgroup'.split(' '),
]);
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title']);
const NAME = /[a-z][^\s/>]*/iy;

/** Returns the HTML unchanged if it is within the limits. */
export const boundMarkup = (html: string): string => {
  let [depth, marks] = [0, 0];
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (++marks > MAX_MARKS || depth > MAX_DEPTH) return html.slice(0, at);
    const closes = html[at + 1] === '/';
    const name = nameAt(html, closes ? at + 2 : at + 1);
    if (name === undefined) {
      marks += 2; // a bare "<" becomes a text node, which costs more than an element
      at = html.startsWith('<!--', at) ? findAfter(html, '-->', at + 4) : at + 1;
      continue;
    }
    const end = endOfTag(html, at);
    if (end === undefined) return html.slice(0, at);
    if (!FLAT.has(name)) depth = Math.max(0, depth + (closes ? -1 : 1));
    at = RAW_TEXT.has(name) && !closes ? findEndTag(html, name, end) : end;
  }
  return html;
};

const nameAt = (html: string, at: number): string | undefined => {
  NAME.lastIndex = at;
  return NAME.exec(html)?.[0].slice(0, 40).toLowerCase();
};

const findAfter = (html: string, text: string, from: number): number => {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
};

/** Returns the index of the end tag of a raw text element, such as script. */
const findEndTag = (html: string, name: string, from: number): number => {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
};

/** Returns the index after the tag at `at`; undefined if the tag has too many attributes. */
const endOfTag = (html: string, at: number): number | undefined => {
  let blanks = 0;
  for (let i = at + 1; i < html.length; i++) {
    const character = html[i];
    if (character === '>') return i + 1;
    if (character === '"' || character === "'")
      i = Math.max(i, findAfter(html, character, i + 1) - 1);
    else if (isBlank(character) && !isBlank(html[i - 1]) && ++blanks > MAX_ATTRIBUTES)
      return undefined;
  }
  return html.length;
};

const isBlank = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r';

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

// Decodes a page with the charset of its BOM, HTTP header or meta tag; never throws.

const BOMS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/** The charset declaration is searched in this many bytes. */
const PRESCAN_BYTES = 2048;

export const decode = (body: Uint8Array, charset?: string): string => {
  const bom = BOMS.find(([bytes]) => bytes.every((byte, i) => body[i] === byte))?.[1];
  return decoderFor(bom ?? charset ?? declaredIn(body) ?? 'utf-8').decode(body);
};

const declaredIn = (body: Uint8Array): string | undefined => {
  const head = Buffer.from(
    body.buffer,
    body.byteOffset,
    Math.min(body.byteLength, PRESCAN_BYTES),
  ).toString('latin1');
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1]
  );
};

const decoderFor = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
};

/** Whether the body is binary, regardless of its content type. */
export const isBinary = (body: Uint8Array): boolean => {
  const head = body.subarray(0, 1024);
  if (BOMS.some(([bytes, name]) => name !== 'utf-8' && bytes.every((byte, i) => head[i] === byte)))
    return false;
  return head.includes(0);
};
