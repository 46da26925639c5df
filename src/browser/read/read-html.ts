// Raw HTML of a page or of one element.
import type { HtmlAnswer, InertHtml } from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { callFrames, callTargetFrame, type LoadedScript } from './call-page.ts';

const source = (): LoadedScript => import('page-script:html');

/** More than this cannot travel well; replies say what is missing. */
const MAX_CHARS = 30_000_000;

interface HtmlOptions {
  readonly selector?: string | undefined;
  /** With the element's own tag around it. */
  readonly outer: boolean;
}

export type Html = Pick<HtmlAnswer, 'html' | 'length'>;

/** Nothing where no element matches the selector. */
export const findHtml = async (
  tab: Tab,
  { selector, outer }: HtmlOptions,
  signal: AbortSignal,
): Promise<Html | undefined> => {
  const question = { source, call: '__oc_html.read', args: { outer, maxChars: MAX_CHARS } };
  return (await callTargetFrame<HtmlAnswer>(tab, { selector }, question, signal))?.answer;
};

/**
 * The whole document of a frame, shadow roots included, as a file that does nothing when it is
 * opened.
 */
export const readInertHtml = (frame: Frame, signal: AbortSignal): Promise<InertHtml> =>
  callFrames<InertHtml>(frame, source, '__oc_html.readInert', { maxChars: MAX_CHARS }, signal);
