// Computes the shortest edit script of two sequences (Myers), with a simple fallback.

export interface DiffStep {
  readonly kind: 'same' | 'added' | 'removed';
  /** The index in the first and in the second sequence. */
  readonly a: number;
  readonly b: number;
}

/** With more differences the sequences have little in common, and the time is quadratic. */
const MAX_DIFFERENCES = 600;

export const sequenceDiff = <T>(
  before: readonly T[],
  now: readonly T[],
  isSame: (a: T, b: T) => boolean,
): DiffStep[] => {
  let start = 0;
  const shorter = Math.min(before.length, now.length);
  while (start < shorter && isSame(before[start] as T, now[start] as T)) start++;
  let endA = before.length;
  let endB = now.length;
  while (endA > start && endB > start && isSame(before[endA - 1] as T, now[endB - 1] as T)) {
    endA--;
    endB--;
  }
  const same = (a: number, b: number, count: number): DiffStep[] =>
    Array.from({ length: count }, (_, i) => ({ kind: 'same', a: a + i, b: b + i }));
  const middle = myers(before.slice(start, endA), now.slice(start, endB), isSame).map(
    ({ kind, a, b }) => ({
      kind,
      a: a + start,
      b: b + start,
    }),
  );
  return [...same(0, 0, start), ...middle, ...same(endA, endB, before.length - endA)];
};

const myers = <T>(
  before: readonly T[],
  now: readonly T[],
  isSame: (a: T, b: T) => boolean,
): DiffStep[] => {
  const trace = searchForward(before, now, isSame);
  return trace ? walkBack(trace, before.length, now.length) : plainly(before, now);
};

/**
 * How far each diagonal reaches, for every number of differences; undefined if there are too many.
 */
const searchForward = <T>(
  before: readonly T[],
  now: readonly T[],
  isSame: (a: T, b: T) => boolean,
): Reach[] | undefined => {
  const trace: Reach[] = [];
  let reach = createReach(1);
  setReach(reach, 1, 0);
  for (let d = 0; d <= Math.min(before.length + now.length, MAX_DIFFERENCES); d++) {
    trace.push(reach);
    const next = createReach(d + 1);
    for (let k = -d; k <= d; k += 2) {
      let x =
        k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1))
          ? at(reach, k + 1)
          : at(reach, k - 1) + 1;
      while (x < before.length && x - k < now.length && isSame(before[x] as T, now[x - k] as T))
        x++;
      setReach(next, k, x);
      if (x >= before.length && x - k >= now.length) {
        trace.push(next);
        return trace;
      }
    }
    reach = next;
  }
  return undefined;
};

/** How far each diagonal k reaches, from -n to n; -1 if it was not visited. */
type Reach = Int32Array;

const createReach = (diagonals: number): Reach => new Int32Array(2 * diagonals + 1).fill(-1);

const setReach = (reach: Reach, k: number, x: number): void => {
  reach[k + (reach.length >> 1)] = x;
};

const at = (reach: Reach, k: number): number => reach[k + (reach.length >> 1)] ?? -1;

const walkBack = (trace: readonly Reach[], lengthA: number, lengthB: number): DiffStep[] => {
  const steps: DiffStep[] = [];
  let x = lengthA;
  let y = lengthB;
  for (let d = trace.length - 2; d >= 0; d--) {
    const reach = trace[d] as Reach;
    const k = x - y;
    const fromAbove = k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1));
    const startX = fromAbove ? at(reach, k + 1) : at(reach, k - 1);
    const startY = startX - (fromAbove ? k + 1 : k - 1);
    while (x > startX && y > startY && x > 0 && y > 0) steps.push({ kind: 'same', a: --x, b: --y });
    if (d === 0) break;
    if (fromAbove) steps.push({ kind: 'added', a: x, b: --y });
    else steps.push({ kind: 'removed', a: --x, b: y });
  }
  return steps.toReversed();
};

/** Removes all old items and adds all new ones. */
const plainly = <T>(before: readonly T[], now: readonly T[]): DiffStep[] => [
  ...before.map((_, a): DiffStep => ({ kind: 'removed', a, b: 0 })),
  ...now.map((_, b): DiffStep => ({ kind: 'added', a: before.length, b })),
];
