// Keeps texts from the page small: truncates at a limit and shares repeated values.

import { attempt } from '../../core/attempt.ts';

/** The first `limit` UTF-16 units of a text, without splitting a surrogate pair. */
export const clip = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  // Copy the text: a slice would keep the whole original in memory.
  return copyText(text.slice(0, cutsPair ? limit - 1 : limit));
};

const copyText = (text: string): string => Buffer.from(text).toString();

/** Decoded size of a base64 text. */
export const base64Bytes = (base64: string): number => {
  return Math.floor((base64.length * 3) / 4) - countPadding(base64);
};

const countPadding = (base64: string): number => {
  if (base64.endsWith('==')) return 2;
  return base64.endsWith('=') ? 1 : 0;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as text; undefined if they are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  attempt(() => strictUtf8.decode(bytes));

/** Long enough for large cookie headers. */
const MAX_SHARED_LENGTH = 8 * 1024;
const MAX_SHARED_TOTAL = 512 * 1024;

/** Keeps one copy of values that every request repeats (user agent, cookies, server …). */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  #total = 0;

  share(text: string): string {
    if (text.length > MAX_SHARED_LENGTH) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#total += text.length;
    if (this.#total > MAX_SHARED_TOTAL) {
      this.#texts.clear();
      this.#total = text.length;
    }
    this.#texts.set(text, text);
    return text;
  }

  /** Shares the values in place: the object was just parsed from a CDP message. */
  shareValues<T extends Record<string, string>>(values: T): T {
    for (const name in values)
      (values as Record<string, string>)[name] = this.share(values[name] as string);
    return values;
  }
}
