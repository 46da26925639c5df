// What the scripts behind markdown, dom, css, html, inspect and validate answer. No DOM types here: both sides import it.

/** The element that a question is about: by CSS selector, or by the number behind its ref. */
export interface Subject {
  readonly selector?: string;
  readonly id?: number;
}

/** Why there is no answer about a subject. */
export interface NoSubject {
  readonly problem: 'bad_selector' | 'no_match';
  readonly title: string;
}

/** Which part of the page was read: what reads like an article, the main part, all of it, or the element asked for. */
export type MarkdownPart = 'article' | 'main' | 'page' | 'element';

export interface MarkdownAnswer {
  readonly title: string;
  readonly markdown: string;
  readonly part: MarkdownPart;
  /** Words of the page that stand outside of that part. */
  readonly wordsOutside: number;
  /** The page holds more than was read. */
  readonly truncated: boolean;
}
