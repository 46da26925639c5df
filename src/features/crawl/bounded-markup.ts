// Cuts HTML that has too many elements, attributes or nesting levels to be parsed quickly.

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
