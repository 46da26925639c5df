// Cuts HTML where parsing it would take for ever: far too deep, far too many elements, or an
// element with far too many attributes.

/**
 * Beyond these the time of the parser grows with the square of what is sent, and nobody else is
 * answered meanwhile.
 */
const MAX_DEPTH = 12_000;
const MAX_MARKS = 100_000;
const MAX_ATTRIBUTES = 5000;

/** Elements that never hold others, and those that the next one of their kind closes. */
const FLAT = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd td th tr thead tbody tfoot option optgroup'.split(
    ' ',
  ),
);
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title']);
const NAME = /[a-z][^\s/>]*/iy;

/** The same text where it is no such page. */
export const boundMarkup = (html: string): string => {
  let [depth, marks] = [0, 0];
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (++marks > MAX_MARKS || depth > MAX_DEPTH) return html.slice(0, at);
    const closes = html[at + 1] === '/';
    const name = nameAt(html, closes ? at + 2 : at + 1);
    if (name === undefined) {
      marks += 2; // a bare sign is a piece of text of its own, which costs more than an element
      at = html.startsWith('<!--', at) ? behind(html, '-->', at + 4) : at + 1;
      continue;
    }
    const end = endOfTag(html, at);
    if (end === undefined) return html.slice(0, at);
    if (!FLAT.has(name)) depth = Math.max(0, depth + (closes ? -1 : 1));
    at = RAW_TEXT.has(name) && !closes ? closeOf(html, name, end) : end;
  }
  return html;
};

const nameAt = (html: string, at: number): string | undefined => {
  NAME.lastIndex = at;
  return NAME.exec(html)?.[0].slice(0, 40).toLowerCase();
};

const behind = (html: string, text: string, from: number): number => {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at + text.length;
};

/** Where its content, which is no markup, ends. */
const closeOf = (html: string, name: string, from: number): number => {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
};

/** Behind the tag that begins at `at`; nothing where it has too many attributes. */
const endOfTag = (html: string, at: number): number | undefined => {
  let blanks = 0;
  for (let i = at + 1; i < html.length; i++) {
    const character = html[i];
    if (character === '>') return i + 1;
    if (character === '"' || character === "'") i = Math.max(i, behind(html, character, i + 1) - 1);
    else if (isBlank(character) && !isBlank(html[i - 1]) && ++blanks > MAX_ATTRIBUTES)
      return undefined;
  }
  return html.length;
};

const isBlank = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r';
