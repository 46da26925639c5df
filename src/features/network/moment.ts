// Parses a point in time: `30s`, `5m` or `2h` ago, or an ISO time. Pure.
import { fail } from '../../core/failure.ts';
import { matchGroups } from '../../core/text.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns milliseconds since 1970. */
export const parseMoment = (text: string, argument: string, now: number): number => {
  const [, amount, unit] = matchGroups(/^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/, text.trim());
  if (amount !== undefined) return now - Number(amount) * UNITS[unit as keyof typeof UNITS];
  const ms = /^\d{11,14}$/.test(text.trim()) ? Number(text) : Date.parse(text);
  if (Number.isNaN(ms))
    throw fail(
      'invalid_argument',
      `"${argument}" must be a duration such as 30s, 5m or 2h, or an ISO time, not ` +
        `"${text.slice(0, 50)}".`,
      { argument },
    );
  return ms;
};
