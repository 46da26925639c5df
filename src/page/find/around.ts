// Where an element is, in few words: its row or item, the dialog, part or heading that it stands
// in.
import { composedParent } from '../act/describe-target.ts';
import { attribute, contains, localName, matches, query, queryAll } from '../safe-dom.ts';
import type { QueryWords } from '../match-words.ts';
import { type NameCache, computeName } from '../names.ts';
import { computeRole } from '../roles.ts';
import { collectPieces, readShownValue, readText } from '../find-words.ts';
import { oneLine } from '../visible-text.ts';
import { excerpt, fold } from '../words.ts';
import type { ElementContext } from './find-answers.ts';
import { itemKind } from './items.ts';
import { createLookupTable } from '../lookup-table.ts';

const MAX_AROUND = 4;
const MAX_CLIMB = 40;
const MAX_CHARS = 40;

/** Parts of a page that tell where something is even without a name. */
const PARTS = new Set(
  'dialog alertdialog navigation search complementary toolbar menu tablist banner contentinfo'.split(
    ' ',
  ),
);
const NAMED_PARTS = new Set([
  ...PARTS,
  ...'region form group radiogroup tabpanel table grid treegrid tree list feed main article banner contentinfo menubar'.split(
    ' ',
  ),
]);
const TAG_PARTS = createLookupTable<string>({ header: 'header', footer: 'footer' });
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';

/** From the inside out, at most a few of them. */
export const collectElementContext = (
  element: Element,
  known: NameCache,
  near: QueryWords | undefined,
): ElementContext[] => {
  const found: ElementContext[] = [];
  let inItem = false;
  let underHeading = false;
  for (const [at, below] of wayUp(element)) {
    if (found.length >= MAX_AROUND) break;
    const tag = localName(at);
    const item: ElementContext | undefined =
      inItem || tag === 'body' ? undefined : itemAround(at, element, near);
    inItem ||= item !== undefined;
    // Rows and cards are known by themselves; in an article its headings tell more.
    const heading: string =
      underHeading || (item && item.kind !== 'article') ? '' : headingBefore(below, element);
    underHeading ||= heading !== '';
    const part = item ?? partAround(at, tag, known);
    if (heading !== '' && fold(heading) !== fold(part?.text ?? ''))
      found.push({ kind: 'under', text: heading });
    if (part) found.push(part);
  }
  return found;
};

/** Every element around this one, each with the one inside of it on the way. */
function* wayUp(element: Element): Generator<readonly [at: Element, below: Element]> {
  let below = element;
  for (let i = 0; i < MAX_CLIMB; i++) {
    const at = composedParent(below);
    if (!at) return;
    yield [at, below];
    below = at;
  }
}

/** The row or item by what it says beside the element. */
const itemAround = (
  item: Element,
  element: Element,
  near: QueryWords | undefined,
): ElementContext | undefined => {
  const kind = itemKind(item);
  if (kind === undefined) return undefined;
  const pieces = collectPieces(
    item,
    (inner) => inner === element || matches(inner, 'button,select,textarea,option,[role=button]'),
  );
  const text = itemText(
    item,
    element,
    pieces.length > 0 ? pieces : unwrittenIn(item, element),
    near,
  );
  return text === '' ? undefined : { kind, text };
};

const MAX_UNWRITTEN = 20;

/** Words that are not written as text: what fields hold, what pictures show. */
const unwrittenIn = (item: Element, element: Element): string[] => {
  const words: string[] = [];
  for (const inner of queryAll(item, 'input,textarea,select,[alt],[aria-label]')) {
    if (words.length >= MAX_UNWRITTEN) break;
    const value = matches(inner, 'input,textarea,select')
      ? readShownValue(inner)
      : (attribute(inner, 'alt') ?? attribute(inner, 'aria-label') ?? '');
    const word = oneLine(value.slice(0, 200));
    if (inner !== element && word !== '') words.push(word);
  }
  return words;
};

/** Where the first pieces are long enough to tell an item, no more are told. */
const ENOUGH_CHARS = 20;

/** Its heading, else its first words, and those that were asked for. */
const itemText = (
  item: Element,
  element: Element,
  pieces: readonly string[],
  near: QueryWords | undefined,
): string => {
  const title = query(item, HEADINGS);
  const heading =
    title && !contains(title, element) && !contains(element, title)
      ? oneLine(readText(title).slice(0, 200))
      : '';
  const start = heading === '' ? pieces : [heading, ...pieces.filter((piece) => piece !== heading)];
  const told: string[] = [];
  for (const [i, piece] of start.entries()) {
    const asked = near?.each.some((word) => fold(piece).includes(word)) === true;
    const short = told.join(' ').length + piece.length <= ENOUGH_CHARS;
    if (i === 0 || asked || (short && heading === '' && told.length < (near ? 2 : 4)))
      told.push(piece);
  }
  return excerpt(told.join(' '), near?.text ?? '', MAX_CHARS);
};

const partAround = (
  element: Element,
  tag: string,
  known: NameCache,
): ElementContext | undefined => {
  const role = computeRole(element, tag);
  if (!NAMED_PARTS.has(role))
    return TAG_PARTS[tag] === undefined ? undefined : { kind: TAG_PARTS[tag], text: '' };
  const name = computeName(element, tag, role, known).text;
  if (name === '' && !PARTS.has(role)) return undefined;
  return { kind: role, text: excerpt(name, '', MAX_CHARS) };
};

const previousElementSibling = Object.getOwnPropertyDescriptor(
  Element.prototype,
  'previousElementSibling',
)?.get as (this: Element) => Element | null;
const MAX_SIBLINGS = 30;

/** The nearest heading among the elements before this one. */
const headingBefore = (below: Element, element: Element): string => {
  let at = previousElementSibling.call(below);
  for (let i = 0; at && i < MAX_SIBLINGS; at = previousElementSibling.call(at), i++) {
    if (matches(at, HEADINGS) && at !== element)
      return excerpt(oneLine(readText(at).slice(0, 200)), '', MAX_CHARS);
  }
  return '';
};
