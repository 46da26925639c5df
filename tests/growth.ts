// Measures whether the time of a work grows faster than its text.
import { HAS_FULL_SIZES } from './full-sizes.ts';

export type TextWork = (text: string) => unknown;

/** Repeated up to the wanted length; of two, the first half repeats the first, the second the other. */
export type TextUnit = string | readonly [string, string];

const SCREEN_CHARS = 128 * 1024;
const MEGABYTE = 1024 * 1024;
/** For 2 MB. Shorter times are mostly garbage collection. */
const FLOOR_MS = 300;
/** Twice the text takes twice the time if it is linear, and four times if it is quadratic. */
const MAX_RATIO = 3.2;
/** A lower ratio, because the linear part of the time weighs more in short texts. */
const SCREEN_RATIO = 2.5;
const ATTEMPTS = 4;

export const repeatUnit = (unit: TextUnit, chars: number): string =>
  typeof unit === 'string'
    ? unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
    : unit.map((half) => repeatUnit(half, chars / 2)).join('');

export const measureCpuMs = (work: TextWork, text: string): number => {
  const before = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

export const measureFastestMs = (work: TextWork, text: string): number =>
  Math.min(...Array.from({ length: ATTEMPTS }, () => measureCpuMs(work, text)));

/** The least time of a text of this length that can be compared, if it grows quadratically. */
const floorMs = (chars: number): number => FLOOR_MS * (chars / (2 * MEGABYTE)) ** 2;

interface Growth {
  readonly chars: number;
  readonly maxRatio: number;
}

/** How many times longer twice the text takes; undefined if it is not more than the maximum. */
const measureGrowth = (
  work: TextWork,
  unit: TextUnit,
  { chars, maxRatio }: Growth,
): number | undefined => {
  const [one, two] = [repeatUnit(unit, chars), repeatUnit(unit, 2 * chars)];
  const twoMs = measureCpuMs(work, two);
  if (twoMs < floorMs(two.length) || twoMs / measureCpuMs(work, one) < maxRatio) return undefined;
  const ratio = measureFastestMs(work, two) / measureFastestMs(work, one);
  return ratio < maxRatio ? undefined : ratio;
};

/** True if the work could exceed the floor and the ratio with 1 and 2 MB. */
export const isSuspicious = (work: TextWork, unit: TextUnit): boolean =>
  measureGrowth(work, unit, { chars: SCREEN_CHARS, maxRatio: SCREEN_RATIO }) !== undefined;

/**
 * Describes work that grows faster than its text; undefined if it is linear. `npm run
 * test:security` compares 1 and 2 MB always, `npm test` only if shorter texts are suspicious.
 */
export const findGrowth = (
  work: TextWork,
  unit: TextUnit,
  chars = MEGABYTE,
): string | undefined => {
  if (!HAS_FULL_SIZES && !isSuspicious(work, unit)) return undefined;
  const ratio = measureGrowth(work, unit, { chars, maxRatio: MAX_RATIO });
  if (ratio === undefined) return undefined;
  return `${JSON.stringify(unit)}: twice the text takes ${ratio.toFixed(1)} x`;
};
