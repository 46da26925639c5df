// Finds the known name that is most similar to a mistyped one.

/** Number of letters to insert, delete, replace or swap with their neighbour. */
export const measureDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
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
    Math.max(2, Math.ceil(best.length / 3));
  return near || plain(best).includes(plain(name)) ? best : undefined;
};
