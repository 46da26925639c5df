// Estimates the tokens of a reply, quickly.
import { countTokens } from './tokens.ts';

interface ReplyLike {
  readonly text?: string;
  readonly images?: readonly { readonly data: string }[];
  readonly notes: readonly string[];
}

/** Only this many characters of a text are counted; the rest is extrapolated. */
const COUNTED_CHARS = 16_384;
/** A picture costs one token per this many pixels, up to the size at which models scale it down. */
const PIXELS_PER_TOKEN = 750;
const MOST_PER_IMAGE = 1600;

export const estimateReplyTokens = ({ text = '', images = [], notes }: ReplyLike): number =>
  textTokens(text) +
  notes.reduce((sum, note) => sum + textTokens(note), 0) +
  images.reduce((sum, { data }) => sum + imageTokens(data), 0);

const textTokens = (text: string): number => {
  if (text === '') return 0;
  if (text.length <= COUNTED_CHARS) return countTokens(text);
  return Math.round(countTokens(text.slice(0, COUNTED_CHARS)) * (text.length / COUNTED_CHARS));
};

const imageTokens = (base64: string): number => {
  const size = pngSize(base64);
  return size
    ? Math.min(MOST_PER_IMAGE, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN))
    : MOST_PER_IMAGE;
};

/** Reads the size from the PNG header; other formats are not parsed. */
const pngSize = (
  base64: string,
): { readonly width: number; readonly height: number } | undefined => {
  const head = Buffer.from(base64.slice(0, 32), 'base64');
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
};
