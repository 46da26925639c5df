// Wildcards without regular expressions: a pattern of a caller on an address of a page must never
// take for ever.

/**
 * Any text; any text without a slash; any one character. Everything else is one character, which
 * stands for itself.
 */
export const ANY = 'any';
export const PART = 'part';
export const ONE = 'one';
export type Glob = readonly string[];

/** `*` within a part of the path, `**` over several; the rest as it is written. */
export const parsePathGlob = (pattern: string): Glob =>
  pattern
    .split(/(\*+)/)
    .flatMap((part) => (part === '*' ? [PART] : part.startsWith('*') ? [ANY] : part.split('')));

/**
 * Whether the whole text fits. Where a character does not, only the last wildcard takes one more
 * (of two kinds, the last of each): what an earlier one could do differently, the later one can do
 * too. So the time is a product of two lengths, never a power.
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
