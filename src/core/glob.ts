// Wildcard matching without regular expressions, so that no pattern has exponential run time.

/**
 * ANY matches any text, PART any text without a slash, ONE any one character. Every other entry is
 * a literal character.
 */
export const ANY = 'any';
export const PART = 'part';
export const ONE = 'one';
export type Glob = readonly string[];

/** `*` matches within one path segment, `**` across segments; everything else is literal. */
export const parsePathGlob = (pattern: string): Glob =>
  pattern.split(/(\*+)/).flatMap((part) => {
    if (part === '*') return [PART];
    return part.startsWith('*') ? [ANY] : part.split('');
  });

/**
 * Whether the glob matches the whole text. On a mismatch, only the last wildcard of each kind takes
 * one more character; earlier ones need no retry. So the time is at most the product of both
 * lengths.
 */
export const matchesGlob = (glob: Glob, text: string): boolean => {
  const open = { any: -1, anyFrom: 0, part: -1, partFrom: 0 };
  let [at, i] = [0, 0];
  while (i < text.length) {
    const token = glob[at];
    if (token === ANY) {
      [open.any, open.anyFrom, open.part] = [++at, i, -1];
      if (at === glob.length) return true;
    } else if (token === PART) {
      [open.part, open.partFrom] = [++at, i];
    } else if (token === ONE || token === text[i]) {
      at++;
      i++;
    } else if (open.part >= 0 && text[open.partFrom] !== '/') {
      [at, i] = [open.part, ++open.partFrom];
    } else if (open.any >= 0) {
      [at, i, open.part] = [open.any, ++open.anyFrom, -1];
    } else return false;
  }
  while (glob[at] === ANY || glob[at] === PART) at++;
  return at === glob.length;
};
