// Renders formulas as TeX: the source if the page contains it, else converted from MathML.
import { createLookupTable } from '../lookup-table.ts';
import { attribute, attributeText, localName, query, queryAll } from '../safe-dom.ts';
import { PAGE_TAGS } from '../tag-sets.ts';

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
  attribute(element, 'display') === 'true' ||
  attribute(element, 'display') === 'block' ||
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
