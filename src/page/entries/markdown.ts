// Renders a page as Markdown: its article, else its main element, else everything visible.
import { valueIf } from '../objects.ts';
import { isProbablyReaderable } from '@mozilla/readability';
import { query, queryAll } from '../safe-dom.ts';
import type { MarkdownAnswer, MarkdownPart, NoSubject, Suspicious } from '../read-answers.ts';
import {
  type Article,
  declaresArticle,
  findArticle,
  isInside,
  keepRivals,
} from '../markdown/article.ts';
import { Blocks } from '../markdown/blocks.ts';
import { hasFormulas } from '../markdown/code-and-math.ts';
import { weigh } from '../markdown/lines.ts';
import { VisibilityCache } from '../markdown/shown.ts';
import { documentTitle, findSubject, isNoSubject, withSuspects } from '../selectors.ts';
import { implement, type MarkdownRequest } from '../page-functions.ts';

/** Minimum length of an article. */
const ARTICLE_CHARS = 300;
/** Readability's minimum length of a paragraph, and minimum score of a page. */
const PARAGRAPH_CHARS = 140;
const PAGE_SCORE = 20;
/** A character of Chinese, Japanese or Korean text counts as this many letters. */
const LETTERS_PER_IDEOGRAPH = 3;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** The share of such characters in the beginning of the text that makes a page ideographic. */
const IDEOGRAPH_SHARE = 0.3;
const SAMPLE_CHARS = 20_000;
/**
 * Minimum share of the page's readable text. With less, the article is only one of several parts.
 */
const ARTICLE_SHARE = 0.5;
/** The minimum share if the metadata declares an article. */
const DECLARED_SHARE = 0.2;
const MAIN_SHARE = 0.6;

const read = (options: MarkdownRequest): (MarkdownAnswer & Suspicious) | NoSubject =>
  withSuspects(() => readMarkdown(options));

const readMarkdown = (request: MarkdownRequest): MarkdownAnswer | NoSubject => {
  const { subject, urls, maxChars, countsWords = true } = request;
  const shown = new VisibilityCache();
  const formulas = hasFormulas(document);
  const write = (root: Element, keeps: Article['keeps'] = () => true): WrittenMarkdown => {
    const blocks = new Blocks({ urls, maxChars, shown, formulas, keeps });
    try {
      const markdown = blocks.markdown(root);
      return {
        markdown,
        truncated: blocks.exhausted,
        charsToRead: blocks.charsToRead,
        linkChars: blocks.linkChars,
        frames: blocks.frames,
      };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Stack overflow on deeply nested pages: return the plain text instead.
      return {
        markdown: ((root as HTMLElement).innerText ?? '').slice(0, maxChars),
        truncated: true,
        charsToRead: 0,
        linkChars: 0,
        frames: [],
      };
    }
  };
  if (subject) {
    const found = findSubject(subject);
    if (isNoSubject(found)) return found;
    const { markdown, truncated, frames } = write(found);
    return {
      title: documentTitle(),
      part: 'element',
      wordsOutside: 0,
      markdown,
      truncated,
      frames,
    };
  }
  return readPage(write, shown, countsWords);
};

interface WrittenMarkdown {
  readonly markdown: string;
  readonly truncated: boolean;
  readonly charsToRead: number;
  readonly linkChars: number;
  readonly frames: MarkdownAnswer['frames'];
}

interface WrittenArticle extends WrittenMarkdown {
  readonly root: Element;
}

type Write = (root: Element, keeps?: Article['keeps']) => WrittenMarkdown;

const readPage = (write: Write, shown: VisibilityCache, countsWords: boolean): MarkdownAnswer => {
  const body = query(document, 'body') ?? query(document, '*');
  const title = documentTitle();
  if (!body)
    return { title, part: 'page', wordsOutside: 0, markdown: '', truncated: false, frames: [] };
  const whole = write(body);
  const answer = (
    part: MarkdownPart,
    { markdown, truncated, frames }: WrittenMarkdown,
  ): MarkdownAnswer => ({
    title,
    part,
    wordsOutside: countsWords ? countWordsOutside(whole.markdown, markdown) : 0,
    markdown,
    truncated,
    frames,
  });
  const article = mayHaveArticle(whole) ? readArticle(body, shown, write) : undefined;
  if (article && isTheArticle(article, body, whole, write)) return answer('article', article);
  const main = mainPart(body, whole, write);
  return main ? answer('main', main) : answer('page', whole);
};

/** Whether the page has enough text for an article, whichever part of the page that is. */
const mayHaveArticle = ({
  markdown,
  truncated,
  charsToRead,
  linkChars,
}: WrittenMarkdown): boolean => {
  if (truncated) return false;
  const density = hasIdeographs(markdown) ? LETTERS_PER_IDEOGRAPH : 1;
  // Links count only in tables, which are in charsToRead.
  return (weigh(markdown) - linkChars + charsToRead) * density >= ARTICLE_CHARS;
};

/** The main element, if there is exactly one and it contains most of the page's text. */
const mainPart = (
  body: Element,
  whole: WrittenMarkdown,
  write: (root: Element) => WrittenMarkdown,
): WrittenMarkdown | undefined => {
  const mains = [...queryAll(body, 'main, [role=main]')];
  const [main] = mains;
  if (!main || mains.length > 1) return undefined;
  const written = write(main);
  return valueIf(
    written.markdown.length >= MAIN_SHARE * whole.markdown.length && written.markdown.length > 0,
    written,
  );
};

/** Whether the article is the content of the page. Ignores comments, related links and the like. */
const isTheArticle = (
  article: WrittenArticle,
  body: Element,
  whole: WrittenMarkdown,
  write: Write,
): boolean => {
  const { charsToRead, root } = article;
  const density = isIdeographic(article.markdown) ? LETTERS_PER_IDEOGRAPH : 1;
  if (charsToRead * density < ARTICLE_CHARS) return false;
  const isDeclared = declaresArticle();
  const isMostOfPage = article.markdown.length >= MAIN_SHARE * whole.markdown.length;
  // Rejects dashboards on which one text is longer than the others.
  if (!isDeclared && !isMostOfPage && !isReaderable(density)) return false;
  if (charsToRead >= ARTICLE_SHARE * whole.charsToRead) return true;
  const rivals = write(body, keepRivals(root, isDeclared));
  return charsToRead >= (isDeclared ? DECLARED_SHARE : ARTICLE_SHARE) * rivals.charsToRead;
};

const readArticle = (
  body: Element,
  shown: VisibilityCache,
  write: Write,
): WrittenArticle | undefined => {
  const article = findArticle(body, shown);
  if (!article) return undefined;
  const written = { ...write(article.root, article.keeps), root: article.root };
  const heading = [...queryAll(body, 'h1')].find(
    (h1) => shown.look(h1).display !== 'none' && !h1.closest('nav'),
  );
  // The headline is often outside the article element.
  if (!heading || isInside(heading, article.root) || /^#{1,6} /.test(written.markdown))
    return written;
  const headline = write(heading).markdown;
  return {
    ...written,
    markdown: headline === '' ? written.markdown : `${headline}\n\n${written.markdown}`,
  };
};

/** Tests a range of characters first, because a search by script is slow. */
const hasIdeographs = (text: string): boolean =>
  /[\u1100-\u11ff\u2e80-\uffff]/.test(text) && text.search(IDEOGRAPHS) >= 0;

const isIdeographic = (text: string): boolean => {
  if (!hasIdeographs(text)) return false;
  const sample = text.slice(0, SAMPLE_CHARS).replaceAll(/\s/g, '');
  return (sample.match(IDEOGRAPHS)?.length ?? 0) > IDEOGRAPH_SHARE * sample.length;
};

/** Readability's check, whose limits are in letters. */
const isReaderable = (density: number): boolean =>
  isProbablyReaderable(document, {
    minContentLength: PARAGRAPH_CHARS / density,
    minScore: PAGE_SCORE / Math.sqrt(density),
  });

const countWordsOutside = (page: string, part: string): number =>
  page === part ? 0 : Math.max(0, countWords(page) - countWords(part));

const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

export const functions = implement('markdown', { read });
