// Renders a visual diagnosis as short lines, one per subject.

import { listIf } from '../core/collections.ts';
import { textIf } from '../core/text.ts';

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
