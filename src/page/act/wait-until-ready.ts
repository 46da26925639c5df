// Conditions of a page that can be waited for: a text or an element that comes or goes. Checked
// when something changes.
import { queryAll, rootElement } from '../safe-dom.ts';
import { isSeen, trees } from '../match-words.ts';
import { oneLine } from '../visible-text.ts';
import type { PageCondition, Waited } from './act-answers.ts';
import { change, frame } from './rhythm.ts';

/** What styles do without touching the document (animations, media) is noticed by looking again. */
const RECHECK_MS = 200;

const bare = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

const innerTextOf = (root: Document | ShadowRoot): string => {
  if (root instanceof Document) return (rootElement(root) as HTMLElement | null)?.innerText ?? '';
  return [...root.children].map((child) => (child as HTMLElement).innerText ?? '').join('\n');
};

const textContentOf = (root: Document | ShadowRoot): string =>
  (root instanceof Document ? rootElement(root)?.textContent : root.textContent) ?? '';

/** Whether people see the text: in upper or lower case, across elements, shadow roots included. */
export const textShown = (text: string): boolean => {
  const wanted = oneLine(text).toLowerCase();
  const needle = bare(text);
  return trees().some((root) => {
    // What is not in the document at all need not be looked for in its layout, which is dear to ask
    // for.
    if (!bare(textContentOf(root)).includes(needle)) return false;
    return oneLine(innerTextOf(root)).toLowerCase().includes(wanted);
  });
};

/** How many elements match and are seen; nothing for a selector that is none. */
const countShown = (selector: string): number | undefined => {
  try {
    return trees().reduce(
      (sum, root) => sum + [...queryAll(root, selector)].filter(isSeen).length,
      0,
    );
  } catch {
    return undefined;
  }
};

const isMet = ({ text, selector, gone = false }: PageCondition): Waited => {
  if (text !== undefined) return textShown(text) !== gone ? 'met' : 'not_yet';
  const count = countShown(selector ?? '');
  if (count === undefined) return 'bad_selector';
  return count > 0 !== gone ? 'met' : 'not_yet';
};

/** When the condition is met, or when the time is up. */
export const waitFor = async (condition: PageCondition, maxMs: number): Promise<Waited> => {
  const endsAt = performance.now() + maxMs;
  for (;;) {
    const state = isMet(condition);
    const left = endsAt - performance.now();
    if (state !== 'not_yet' || left <= 0) return state;
    await change(Math.min(left, RECHECK_MS));
    await frame(); // many changes in a row are one
  }
};
