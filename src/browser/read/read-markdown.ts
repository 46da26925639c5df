// Reads the content of a page as Markdown, including cross-origin frames.
import type { MarkdownAnswer } from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { callOwnFrame, callUntilOpen, type ReadTarget, type LoadedScript } from './call-page.ts';
import { fromInnerFrame, listInnerFrames } from './inner-frames.ts';

const source = (): LoadedScript => import('page-script:markdown');

export type Markdown = Omit<MarkdownAnswer, 'title' | 'frames'>;

/** Maximum length of the Markdown of one document. */
const MAX_CHARS = 2_000_000;
const CALL = '__oc_markdown.read';

interface MarkdownOptions extends ReadTarget {
  /** Include the URLs of links and images. */
  readonly urls: boolean;
}

export const readMarkdown = async (
  tab: Tab,
  { urls, ...place }: MarkdownOptions,
  signal: AbortSignal,
): Promise<Markdown> => {
  const args = { urls, maxChars: MAX_CHARS };
  const { answer, frame } = await callOwnFrame<MarkdownAnswer>(
    tab,
    place,
    { source, call: CALL, args },
    signal,
  );
  const { markdown, part, wordsOutside, truncated } = answer;
  return {
    markdown: answer.frames.length ? await withFrames(frame, answer, args, signal) : markdown,
    part,
    wordsOutside,
    truncated,
  };
};

/** Replaces the placeholder line of each cross-origin frame by the content of the frame. */
const withFrames = async (
  frame: Frame,
  { markdown, frames }: MarkdownAnswer,
  args: object,
  signal: AbortSignal,
): Promise<string> => {
  const inner = await listInnerFrames(frame, signal);
  let whole = markdown;
  for (const { id, line } of frames) {
    const child = inner.get(id);
    const answer =
      child &&
      (await fromInnerFrame(
        (patience) => callUntilOpen<MarkdownAnswer>(child, { source, call: CALL, args }, patience),
        signal,
      ));
    if (child && answer?.markdown) whole = whole.replace(line, () => answer.markdown);
  }
  return whole;
};
