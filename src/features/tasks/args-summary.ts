// Shortens a task's arguments, which are already redacted, to fit into its row.

import { isRecord } from '../../core/json.ts';

const MAX_BYTES = 2048;
/** Maximum characters per value; the next one is tried if the summary is still too large. */
const CUTS = [400, 100, 40, 10];

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

export const summariseArgs = (args: unknown): unknown => {
  const bytes = countBytes(args);
  if (bytes <= MAX_BYTES) return args;
  const cuts = isRecord(args) ? CUTS.map((chars) => shortenValues(args, chars)) : [];
  return cuts.find((cut) => countBytes(cut) <= MAX_BYTES) ?? { omitted: `${bytes} bytes` };
};

const shortenValues = (
  args: Readonly<Record<string, unknown>>,
  chars: number,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, shorten(value, chars)]));

const shorten = (value: unknown, chars: number): unknown => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= chars ? value : `${text.slice(0, chars)}…`;
};
