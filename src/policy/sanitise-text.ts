// Sanitises one text: removes invisible characters and HTML comments. Also runs in a worker thread.
import { countInstructions } from './instructions.ts';
import { removeInvisible } from './invisible.ts';
import { isBlob } from './walk.ts';

/** Counts of removed parts and of suspicious phrases in a reply. */
export interface Findings {
  invisible: number;
  comments: number;
  /** Texts that the page hides from people; they were left out when the page was read. */
  hidden: number;
  phrases: number;
}

export const noFindings = (): Findings => ({ invisible: 0, comments: 0, hidden: 0, phrases: 0 });

export interface SanitiseOptions {
  /** The texts are HTML source. */
  readonly html?: boolean;
  /** Only count phrases, because the texts are already clean. */
  readonly countOnly?: boolean;
}

export interface SanitisedText {
  readonly text: string;
  readonly findings: Findings;
}

export const sanitiseText = (text: string, options: SanitiseOptions): SanitisedText => {
  const findings = noFindings();
  return { text: sanitiseInto(findings, text, options), findings };
};

/** Adds to the findings. */
export const sanitiseInto = (
  findings: Findings,
  text: string,
  { html, countOnly }: SanitiseOptions,
): string => {
  if (isBlob(text)) return text;
  const kept = countOnly ? text : withoutUnseen(text, findings, html === true);
  // After the removal, because invisible characters may split a phrase.
  findings.phrases += countInstructions(kept);
  return kept;
};

const withoutUnseen = (text: string, findings: Findings, html: boolean): string => {
  const visible = removeInvisible(text);
  findings.invisible += visible.removed;
  if (!html) return visible.text;
  const plain = removeComments(visible.text);
  findings.comments += plain.removed;
  return plain.text;
};

const RAW_TEXT = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
]);
const TAG_NAME = /[a-zA-Z][^\s/>]*/y;

interface WithoutComments {
  readonly text: string;
  readonly removed: number;
}

const removeComments = (html: string): WithoutComments => {
  if (!html.includes('<!--')) return { text: html, removed: 0 };
  const kept: string[] = [];
  const endOfComment = createCommentEnd(html);
  let removed = 0;
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    if (!html.startsWith('<!--', at)) {
      at = endOfMarkup(html, at);
      continue;
    }
    kept.push(html.slice(from, at));
    removed++;
    from = at = endOfComment(at);
  }
  kept.push(html.slice(from));
  return { text: kept.join(''), removed };
};

/**
 * Finds the end of the comment that begins at a position; the end of the text if it is not closed.
 */
const createCommentEnd = (html: string): ((at: number) => number) => {
  const findPlain = createForwardSearch(html, '-->');
  const findBang = createForwardSearch(html, '--!>');
  return (at) => {
    const body = at + 4;
    if (html.startsWith('>', body)) return body + 1;
    if (html.startsWith('->', body)) return body + 2;
    const [plain, bang] = [findPlain(body), findBang(body)];
    return Math.min(bang + 4 <= plain ? bang + 4 : plain + 3, html.length);
  };
};

/**
 * An indexOf for ascending positions that remembers its last result, so that many searches for a
 * rare mark do not scan the same text again. Returns Infinity after the last match.
 */
const createForwardSearch = (text: string, mark: string): ((from: number) => number) => {
  let found = -1;
  return (from) => {
    if (found < from) {
      const at = text.indexOf(mark, from);
      found = at < 0 ? Infinity : at;
    }
    return found;
  };
};

/**
 * The end of the tag at `at`, including its content if that is raw text; the next position if no
 * tag begins at `at`.
 */
const endOfMarkup = (html: string, at: number): number => {
  TAG_NAME.lastIndex = at + 1;
  const name = TAG_NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return at + 1;
  const end = endOfTag(html, at + 1 + name.length);
  if (!RAW_TEXT.has(name)) return end;
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = end;
  return close.exec(html)?.index ?? html.length;
};

/** Skips `>` inside quoted attribute values. */
const endOfTag = (html: string, at: number): number => {
  for (let i = at; i < html.length; i++) {
    const char = html[i];
    if (char === '>') return i + 1;
    if ((char === '"' || char === "'") && /=\s*$/.test(html.slice(Math.max(at, i - 8), i))) {
      i = html.indexOf(char, i + 1);
      if (i < 0) return html.length;
    }
  }
  return html.length;
};
