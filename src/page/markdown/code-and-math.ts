// Renders code as fenced or inline code, and formulas as TeX.
import { textIf } from '../visible-text.ts';
import { PAGE_TAGS } from '../element-kinds.ts';
import { oneLine } from './lines.ts';
import { createLookupTable } from '../objects.ts';
import {
  attribute,
  attributeText,
  isElement,
  localName,
  matches,
  parentNode,
  query,
  queryAll,
} from '../safe-dom.ts';

const LANGUAGE =
  /(?:^|\s)(?:language|lang|highlight-(?:source|text)|brush:|sourceCode)[-\s:]?\s*([\w+#.-]+)/i;

const NOT_A_LANGUAGE = new Set([
  'none',
  'plaintext',
  'text',
  'plain',
  'txt',
  'nohighlight',
  'wrap',
  'numberLines',
]);

const findLanguage = (pre: Element): string => {
  const code = queryAll(pre, 'code')[0];
  const parent = parentNode(pre);
  const places = [code, pre, parent, parent && parentNode(parent)];
  for (const place of places) {
    if (!place || !isElement(place) || localName(place) === 'body') continue;
    const named =
      attribute(place, 'data-lang') ??
      attribute(place, 'data-language') ??
      LANGUAGE.exec(attributeText(place, 'class').slice(0, 200))?.[1];
    if (named && named.length <= 20 && /^[\w+#.-]+$/.test(named))
      return textIf(!NOT_A_LANGUAGE.has(named), named.toLowerCase());
  }
  return '';
};

/** The visible text: uses innerText, so that lines in separate elements stay lines. */
const readShownText = (element: Element): string => {
  const text =
    element instanceof HTMLElement && element.childElementCount > 0
      ? element.innerText
      : element.textContent;
  return text.replace(/\u00a0/g, ' ').replace(/\r\n?/g, '\n');
};

export const fencedCode = (pre: Element, maxChars: number): string => {
  const code = readShownText(pre).slice(0, maxChars).replace(/^\n+/, '').trimEnd();
  if (code.trim() === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${findLanguage(pre)}\n${code}\n${fence}`;
};

export const inlineCode = (text: string): string => {
  const code = oneLine(text);
  if (code === '') return '';
  const run = longestRun(code);
  if (run === 0) return `\`${code}\``;
  const fence = '`'.repeat(run + 1);
  return `${fence} ${code} ${fence}`;
};

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

// Renders formulas as TeX: the source if the page contains it, else converted from MathML.

/** Wrapper elements of common typesetters; each contains the same formula several times. */
const WRAPPER =
  '.katex, .mwe-math-element, mjx-container, .MathJax, .MathJax_Display, .MathJax_SVG, ' +
  '.MathJax_CHTML';

export const isFormula = (element: Element): boolean =>
  localName(element) === 'math' || (!PAGE_TAGS.has(localName(element)) && element.matches(WRAPPER));

/** `$…$`, or `$$…$$` for a display formula; '' if the formula cannot be read. */
export const formula = (element: Element): string => {
  const tex = readTex(element);
  if (tex === '') return '';
  return standsAlone(element) ? `$$${tex}$$` : `$${tex}$`;
};

const standsAlone = (element: Element): boolean =>
  element.closest('.katex-display, .MathJax_Display') !== null ||
  matches(element, '[display=true], [display=block]') ||
  query(element, 'math[display="block"]') !== null;

const readTex = (element: Element): string => {
  const source =
    query(element, 'annotation[encoding*="tex" i]')?.textContent ??
    scriptBeside(element) ??
    attribute(element, 'alttext') ??
    query(element, '[alttext]')?.getAttribute('alttext');
  if (source) return tidy(source);
  const math = localName(element) === 'math' ? element : query(element, 'math');
  return math ? tidy(fromMathMl(math, 0)) : '';
};

const tidy = (tex: string): string =>
  tex
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\{\\(?:display|text)style ?(.*)\}$/, '$1')
    .trim();

/** MathJax 2 keeps the source in a script after the typeset formula. */
const scriptBeside = (element: Element): string | undefined => {
  const next = element.nextElementSibling;
  return next && localName(next) === 'script' && attributeText(next, 'type').startsWith('math/tex')
    ? next.textContent
    : undefined;
};

const group = (tex: string): string => (tex.length > 1 ? `{${tex}}` : tex);

const fromMathMl = (element: Element, depth: number): string => {
  if (depth > 50) return element.textContent;
  const parts = [...element.children].map((child) => fromMathMl(child, depth + 1));
  const render = MATH_FORMS[localName(element)];
  if (render) return render(parts);
  return parts.length ? parts.filter((part) => part !== '').join(' ') : element.textContent.trim();
};

const withSub = ([a = '', b = '']: readonly string[]): string => `${group(a)}_${group(b)}`;
const withSup = ([a = '', b = '']: readonly string[]): string => `${group(a)}^${group(b)}`;

const withSubAndSup = ([a = '', b = '', c = '']: readonly string[]): string =>
  `${group(a)}_${group(b)}^${group(c)}`;

/** The TeX form of MathML elements, from the TeX of their children. */
const MATH_FORMS = createLookupTable<(parts: readonly string[]) => string>({
  mfrac: ([a = '', b = '']) => `\\frac{${a}}{${b}}`,
  msup: withSup,
  msub: withSub,
  msubsup: withSubAndSup,
  munderover: withSubAndSup,
  munder: withSub,
  mover: withSup,
  msqrt: (parts) => `\\sqrt{${parts.join(' ')}}`,
  mroot: ([a = '', b = '']) => `\\sqrt[${b}]{${a}}`,
  mtr: (parts) => parts.join(' & '),
  mtable: (parts) => parts.join(' \\\\ '),
  annotation: () => '',
  'annotation-xml': () => '',
});

/** Whether the page contains formulas; without any, the search for them is skipped. */
export const hasFormulas = (root: Document | Element): boolean =>
  queryAll(root, `math, ${WRAPPER}`).length > 0;
