// Reads the raw HTML of a page or of one element.
import type { HtmlAnswer, InertHtml } from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { inPage } from '../tabs/in-page.ts';
import { callTargetFrame } from './call-page.ts';

/** Maximum length of the HTML; the answer contains the full length. */
const MAX_CHARS = 30_000_000;

interface HtmlOptions {
  readonly selector?: string | undefined;
  /** Include the element's own tag. */
  readonly outer: boolean;
}

export type Html = Pick<HtmlAnswer, 'html' | 'length'>;

/** Returns undefined if no element matches the selector. */
export const findHtml = async (
  tab: Tab,
  { selector, outer }: HtmlOptions,
  signal: AbortSignal,
): Promise<Html | undefined> => {
  const found = await callTargetFrame(
    tab,
    { selector },
    {
      call: inPage.html.read,
      request: (subject) => ({ subject, outer, maxChars: MAX_CHARS }),
    },
    signal,
  );
  return found?.answer;
};

/**
 * Returns the whole document of a frame, including shadow roots, without scripts that run on
 * opening.
 */
export const readInertHtml = (frame: Frame, signal: AbortSignal): Promise<InertHtml> =>
  frame.call(inPage.html.readInert, [MAX_CHARS], signal);
