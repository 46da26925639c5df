// Reads the content of a page as Markdown, including cross-origin frames.
import type { MarkdownAnswer } from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import type { MarkdownRequest } from '../../page/page-functions.ts';
import { inPage } from '../tabs/in-page.ts';
import { callOwnFrame, callUntilOpen, type ReadTarget } from './call-page.ts';
import { fromInnerFrame, listInnerFrames } from './frame-owners.ts';

export type Markdown = Omit<MarkdownAnswer, 'title' | 'frames'>;

/** Maximum length of the Markdown of one document. */
const MAX_CHARS = 2_000_000;

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
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    { call: inPage.markdown.read, request: (subject) => ({ ...args, subject }) },
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
  args: MarkdownRequest,
  signal: AbortSignal,
): Promise<string> => {
  const inner = await listInnerFrames(frame, signal);
  let whole = markdown;
  for (const { id, line } of frames) {
    const child = inner.get(id);
    const answer =
      child &&
      (await fromInnerFrame(
        (patience) => callUntilOpen(child, inPage.markdown.read, args, patience),
        signal,
      ));
    if (answer && 'markdown' in answer && answer.markdown !== '')
      whole = whole.replace(line, () => answer.markdown);
  }
  return whole;
};
