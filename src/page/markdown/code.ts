// Renders code as fenced or inline code, without line numbers, with the language if it is known.
import {
  attribute,
  attributeText,
  isElement,
  localName,
  parentNode,
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
      return NOT_A_LANGUAGE.has(named) ? '' : named.toLowerCase();
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

/** Whether the element is a column of line numbers. */
export const isLineNumbers = (element: Element): boolean => {
  const text = element.textContent.slice(0, 20_000);
  return /\d/.test(text) && /^[\d\s]*$/.test(text);
};

export const fencedCode = (pre: Element, maxChars: number): string => {
  const code = readShownText(pre).slice(0, maxChars).replace(/^\n+/, '').trimEnd();
  if (code.trim() === '') return '';
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${findLanguage(pre)}\n${code}\n${fence}`;
};

export const inlineCode = (text: string): string => {
  const code = text.replace(/\s+/g, ' ').trim();
  if (code === '') return '';
  const run = longestRun(code);
  if (run === 0) return `\`${code}\``;
  const fence = '`'.repeat(run + 1);
  return `${fence} ${code} ${fence}`;
};

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
