// Guesses an element's computed style from its name and attributes, without a browser.

interface Style {
  readonly display: string;
  readonly visibility: string;
  readonly contentVisibility: string;
  readonly whiteSpace: string;
}

interface Styled {
  readonly localName: string;
  readonly parentNode: Styled | null;
  /** `setsVisibility` is false if no inline style of the document contains the property. */
  readonly ownerDocument?: { readonly setsVisibility?: boolean };
  readonly previousSibling?: { readonly localName?: string } | null;
  readonly nextSibling?: { readonly localName?: string } | null;
  getAttribute?(name: string): string | null;
}

const words = (...lines: string[]): Set<string> => new Set(lines.join(' ').split(' '));

const BLOCK = words(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset',
  'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main',
  'menu nav ol optgroup option p plaintext pre search section summary ul xmp',
);
const TABLE = new Map(
  Object.entries({
    table: 'table',
    caption: 'table-caption',
    thead: 'table-header-group',
    tbody: 'table-row-group',
    tfoot: 'table-footer-group',
    tr: 'table-row',
    td: 'table-cell',
    th: 'table-cell',
    li: 'list-item',
  }),
);
const NONE = words(
  'area base basefont datalist head link meta noembed noframes param rp script style',
  'template title',
);
const CONTROLS = words('button input meter progress select textarea');
const PREFORMATTED = words('pre listing xmp plaintext textarea');

/** Style sheets are not evaluated: an element that only a style sheet hides counts as visible. */
export const createDefaultStyle = (element: Styled): Style => {
  const name = element.localName;
  const own = element.getAttribute?.('style')?.toLowerCase() ?? '';
  return {
    display: guessDisplay(element, name, own),
    visibility:
      /(?:^|[;\s])visibility\s*:\s*(?:hidden|collapse)/.test(own) || isHiddenAbove(element)
        ? 'hidden'
        : 'visible',
    contentVisibility: /content-visibility\s*:\s*hidden/.test(own) ? 'hidden' : 'visible',
    whiteSpace: guessWhiteSpace(element, own),
  };
};

const guessDisplay = (element: Styled, name: string, own: string): string => {
  const declared = /(?:^|[;\s])display\s*:\s*([a-z-]+)/.exec(own)?.[1];
  if (declared === 'none' || NONE.has(name)) return 'none';
  const hidden = element.getAttribute?.('hidden');
  if (hidden !== null && hidden !== undefined && hidden !== 'until-found' && declared === undefined)
    return 'none';
  if (name === 'dialog' && element.getAttribute?.('open') === null) return 'none';
  return declared ?? TABLE.get(name) ?? guessFlow(element, name);
};

const guessFlow = (element: Styled, name: string): string => {
  if (BLOCK.has(name)) return 'block';
  return CONTROLS.has(name) || isLinkBesideControl(element) ? 'inline-block' : 'inline';
};

/** Neighbouring links without a space between them are separated by a style sheet. */
const isLinkBesideControl = ({ localName, previousSibling, nextSibling }: Styled): boolean =>
  localName === 'a' && (isControl(previousSibling) || isControl(nextSibling));

const isControl = (node: { readonly localName?: string } | null | undefined): boolean =>
  node?.localName === 'a' || CONTROLS.has(node?.localName ?? '');

/**
 * Visibility is inherited. Checks only the nearest 20 ancestors, because inline styles for it are
 * rare.
 */
const isHiddenAbove = (element: Styled): boolean => {
  if (element.ownerDocument?.setsVisibility === false) return false;
  let at = element.parentNode;
  for (let steps = 0; at && steps < 20; steps++, at = at.parentNode) {
    const own = at.getAttribute?.('style');
    if (own && /(?:^|[;\s])visibility\s*:\s*(?:hidden|collapse)/i.test(own)) return true;
  }
  return false;
};

const guessWhiteSpace = (element: Styled, own: string): string => {
  const declared = /(?:^|[;\s])white-space\s*:\s*([a-z-]+)/.exec(own)?.[1];
  if (declared) return declared;
  let at: Styled | null = element;
  for (let steps = 0; at && steps < 4; steps++, at = at.parentNode)
    if (PREFORMATTED.has(at.localName)) return 'pre';
  return 'normal';
};
