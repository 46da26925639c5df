// Waits until a text or an element appears or disappears.
import { rootElement } from '../safe-dom.ts';
import { selectAll } from '../selectors.ts';
import { isSeen, trees } from '../match-words.ts';
import { attempt } from '../objects.ts';
import { oneLine } from '../visible-text.ts';
import type { PageCondition, Waited } from './act-answers.ts';
import { change, frame } from './rhythm.ts';

/** Animations and media queries change the page without a DOM change, so poll as well. */
const RECHECK_MS = 200;

const bare = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

const readInnerText = (root: Document | ShadowRoot): string => {
  if (root instanceof Document) return (rootElement(root) as HTMLElement | null)?.innerText ?? '';
  return [...root.children].map((child) => (child as HTMLElement).innerText ?? '').join('\n');
};

const readTextContent = (root: Document | ShadowRoot): string =>
  (root instanceof Document ? rootElement(root)?.textContent : root.textContent) ?? '';

/** Whether the text is visible, also across elements and in shadow roots. Ignores case. */
export const textShown = (text: string): boolean => {
  const wanted = oneLine(text).toLowerCase();
  const needle = bare(text);
  return trees().some((root) => {
    // textContent is a cheap check; innerText forces a layout.
    if (!bare(readTextContent(root)).includes(needle)) return false;
    return oneLine(readInnerText(root)).toLowerCase().includes(wanted);
  });
};

/** Number of visible elements that match; undefined if the selector is invalid. */
const countShown = (selector: string): number | undefined =>
  attempt(() => selectAll(trees(), selector).filter(isSeen).length);

const isMet = ({ text, selector, gone = false }: PageCondition): Waited => {
  if (text !== undefined) return textShown(text) !== gone ? 'met' : 'not_yet';
  const count = countShown(selector ?? '');
  if (count === undefined) return 'bad_selector';
  return count > 0 !== gone ? 'met' : 'not_yet';
};

/** Waits until the condition is true or the time is up. */
export const waitFor = async (condition: PageCondition, maxMs: number): Promise<Waited> => {
  const endsAt = performance.now() + maxMs;
  for (;;) {
    const state = isMet(condition);
    const left = endsAt - performance.now();
    if (state !== 'not_yet' || left <= 0) return state;
    await change(Math.min(left, RECHECK_MS));
    await frame(); // batches successive changes
  }
};
