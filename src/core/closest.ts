// Finds the known name that is most similar to a mistyped one.

/** Number of letters to insert, delete, replace or swap with their neighbour. */
export const measureDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + cost,
          swapped ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
};

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The candidates sorted by similarity to `name`, the most similar first. */
export const compareLikeness = (name: string, candidates: readonly string[]): string[] => {
  const wanted = plain(name.slice(0, 100));
  const score = (candidate: string): number => {
    const it = plain(candidate.slice(0, 100));
    const contains = wanted !== '' && (it.includes(wanted) || wanted.includes(it));
    return measureDistance(wanted, it) - (contains ? Math.min(wanted.length, it.length) / 2 : 0);
  };
  return candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .sort((a, b) => a.score - b.score)
    .map(({ candidate }) => candidate);
};

/** The most similar candidate; undefined if none is similar enough. */
export const findClosest = (name: string, candidates: readonly string[]): string | undefined => {
  const [best] = compareLikeness(name, candidates);
  if (best === undefined) return undefined;
  const near =
    measureDistance(plain(name.slice(0, 100)), plain(best)) <=
    Math.max(2, Math.ceil(plain(best).length / 3));
  return near || plain(best).includes(plain(name)) ? best : undefined;
};

/**
 * The candidate that a typing error explains: one letter in a short word, two in a longer one, or a
 * missing end. undefined if there is none.
 */
export const findTypo = (name: string, candidates: readonly string[]): string | undefined => {
  const wanted = plain(name.slice(0, 100));
  if (wanted.length < MIN_TYPO_LETTERS) return undefined;
  const mostErrors = wanted.length < LONG_WORD_LETTERS ? 1 : 2;
  return compareLikeness(name, candidates).find((candidate) => {
    const it = plain(candidate);
    return it.startsWith(wanted) || measureDistance(wanted, it) <= mostErrors;
  });
};

const MIN_TYPO_LETTERS = 2;
const LONG_WORD_LETTERS = 6;
