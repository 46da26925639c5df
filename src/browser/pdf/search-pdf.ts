// Finds places in the text of a PDF by words.
import { TimeSlices } from '../../core/time.ts';
import type { PdfReading } from './pdf-text.ts';

interface PdfMatch {
  readonly page: number;
  /** The line with the match, or the lines around it. */
  readonly text: string;
}

interface PdfSearch {
  readonly total: number;
  readonly matches: readonly PdfMatch[];
}

const MAX_TEXT_CHARS = 300;
/** Words of a query that are compared. */
const MAX_WORDS = 20;

/**
 * Finds the places that contain all words, ignoring case. Exact phrases come first, then lines with
 * all words, then paragraphs with all words.
 */
export const searchPdf = async (
  { pages }: PdfReading,
  query: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<PdfSearch> => {
  const phrase = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const ranked: [PdfMatch[], PdfMatch[], PdfMatch[]] = [[], [], []];
  let total = 0;
  const slices = new TimeSlices(signal);
  for (const [index, page] of pages.entries()) {
    if (slices.isOver) await slices.pause();
    for (const { rank, text } of searchPage(page, phrase)) {
      total++;
      if (ranked[rank].length < limit) ranked[rank].push({ page: index + 1, text });
    }
  }
  return { total, matches: ranked.flat().slice(0, limit) };
};

function* searchPage(
  page: string,
  words: readonly string[],
): Generator<{ readonly rank: 0 | 1 | 2; readonly text: string }> {
  if (!includesAll(page.toLowerCase(), words)) return;
  const phrase = words.join(' ');
  for (const paragraph of page.split('\n\n')) {
    const lower = paragraph.toLowerCase();
    if (paragraph.startsWith('--- Page ') || !includesAll(lower, words)) continue;
    const lines = paragraph.split('\n').filter((line) => includesAll(line.toLowerCase(), words));
    for (const text of lines)
      yield { rank: text.toLowerCase().includes(phrase) ? 0 : 1, text: clip(text, words) };
    if (lines.length > 0) continue;
    const joined = paragraph.replaceAll('\n', ' ');
    yield { rank: joined.toLowerCase().includes(phrase) ? 0 : 2, text: clip(joined, words) };
  }
}

const includesAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(word));

/** The part of a long text around the first word. */
const clip = (text: string, words: readonly string[]): string => {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const at = text.toLowerCase().indexOf(words[0] ?? '');
  const start = Math.max(0, Math.min(at - MAX_TEXT_CHARS / 2, text.length - MAX_TEXT_CHARS));
  const end = start + MAX_TEXT_CHARS;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
};
