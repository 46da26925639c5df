// Renders the element tree and the visual diagnosis of read_page as lines within a token budget.
import { listIf } from '../core/collections.ts';
import { textIf } from '../core/text.ts';
import { estimateTokens } from './tokens.ts';

type StyleEntry = readonly [name: string, value: string];

interface CssElementData {
  readonly ref: string;
  readonly label: string;
  readonly matches: number;
  readonly box: readonly [number, number, number, number];
  readonly visibility: string;
  readonly layout: readonly string[];
  readonly styles: readonly StyleEntry[];
  readonly text: string;
  readonly variables: readonly StyleEntry[];
  readonly otherVariables: number;
  readonly rules: readonly {
    readonly selector: string;
    readonly body: string;
    readonly source: string;
  }[];
  readonly pseudo: readonly StyleEntry[];
  readonly unreadableSheets: number;
}

interface CssPageData {
  readonly viewport: string;
  readonly sheets: string;
  readonly media: readonly string[];
  readonly variables: readonly StyleEntry[];
  readonly text: string;
  readonly fonts: readonly StyleEntry[];
  readonly problems: readonly string[];
  readonly layers: readonly string[];
  readonly boxes: readonly {
    readonly depth: number;
    readonly label: string;
    readonly facts: string;
  }[];
}

const declarations = (pairs: readonly StyleEntry[]): string =>
  pairs.map(([name, value]) => `${name}: ${value}`).join('; ');

/** One line with a name, or several lines below a name; an empty array without content. */
const line = (name: string, text: string): string[] => listIf(text !== '', `${name}: ${text}`);
const block = (name: string, lines: readonly string[]): string[] =>
  listIf(lines.length > 0, `${name}:`, ...lines.map((text) => ` ${text}`));

/** The diagnosis of one element, or of the page. */
export interface CssDiagnosis {
  readonly page?: CssPageData;
  readonly element?: CssElementData;
}

export const renderCss = ({ page, element }: CssDiagnosis): string => {
  if (element) return renderCssElement(element);
  return page ? renderCssPage(page) : '';
};

const renderCssElement = (element: CssElementData): string => {
  const [x, y, width, height] = element.box;
  const more = textIf(element.matches > 1, ` (first of ${element.matches})`);
  const rules = element.rules.map(
    ({ selector, body, source }) => `${selector} { ${body} }${textIf(source !== '', ` ${source}`)}`,
  );
  const unread = listIf(
    element.unreadableSheets > 0,
    `(${element.unreadableSheets} style sheets of other origins cannot be read)`,
  );
  const others = textIf(element.otherVariables > 0, ` (${element.otherVariables} more in effect)`);
  return [
    `${element.ref} ${element.label}${more}`,
    `box: ${x},${y} ${width}x${height}`,
    `visibility: ${element.visibility}`,
    ...line('layout', element.layout.join('; ')),
    ...line('styles', declarations(element.styles)),
    ...line('text', element.text),
    ...line('variables', declarations(element.variables) + others),
    ...element.pseudo.map(([name, value]) => `${name}: ${value}`),
    ...block('rules, strongest last as written', [...rules, ...unread]),
  ].join('\n');
};

const renderCssPage = (page: CssPageData): string =>
  [
    `viewport: ${page.viewport}`,
    ...block('problems', page.problems),
    ...line('sheets', page.sheets),
    ...line('media in effect', page.media.join('; ')),
    ...line('variables', declarations(page.variables)),
    ...line('text', page.text),
    ...line('fonts', page.fonts.map(([family, state]) => `${family} (${state})`).join(', ')),
    ...block('on top, highest first', page.layers),
    ...block(
      'boxes',
      page.boxes.map(({ depth, label, facts }) => `${' '.repeat(depth)}${label} ${facts}`),
    ),
  ].join('\n');

// Renders the element tree: one line per element, beginning with its ref.

export interface OutlineNodeData {
  readonly label: string;
  readonly text?: string;
  readonly ref?: string;
  readonly note?: string;
  readonly folded?: string;
  readonly children: readonly OutlineNodeData[];
}

export const renderDom = (root: OutlineNodeData): string => {
  const lines: string[] = [];
  const visit = (node: OutlineNodeData, depth: number): void => {
    lines.push(' '.repeat(Math.min(depth, 30)) + formatLine(node));
    for (const child of node.children) visit(child, depth + 1);
  };
  visit(root, 0);
  return lines.join('\n');
};

const formatLine = ({ label, text, ref = '', note, folded }: OutlineNodeData): string => {
  // A fold is not an element: its ref is the argument to expand it.
  if (label.startsWith('…')) return ref === '' ? label : `${label}, expand ${ref}`;
  const quoted = textIf(text !== undefined, `"${text?.replace(/["\\]/g, '\\$&')}"`);
  return [ref, label, quoted, textIf(note, `(${note})`), textIf(folded, `… ${folded}`)]
    .filter((part) => part !== '')
    .join(' ');
};

// Fits lines into a token budget: drops lines at the end and adds a line that counts them.

const TRAILER_TOKENS = 15;

export const fitLines = (text: string, maxTokens: number): string => {
  if (estimateTokens(text) <= maxTokens) return text;
  const lines = text.split('\n');
  const kept: string[] = [];
  let left = maxTokens - TRAILER_TOKENS;
  for (const line of lines) {
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return [
    ...kept,
    `… ${lines.length - kept.length} more lines; raise max_tokens or read a part`,
  ].join('\n');
};
