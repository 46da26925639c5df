// Formats a task for clients, and shortens its arguments to fit into its row.
import { isRecord } from '../../core/json.ts';
import type { TaskMeta } from '../../store/tasks/task-meta.ts';
import { withoutCounts } from './envelope-record.ts';

/** Removes the fields that only identify the process. */
export const showTask = (meta: TaskMeta): Omit<TaskMeta, 'process'> => {
  const { process: _, ...shown } = withoutCounts(meta);
  return shown;
};

/** `crawl RUNNING 12/20: https://…` */
export const describeTask = ({ kind, status, progress }: TaskMeta): string => {
  if (!progress) return `${kind} ${status}`;
  const { done, total, message } = progress;
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  const summary = `${kind} ${status} ${count}`;
  return message ? `${summary}: ${message}` : summary;
};

// Shortens a task's arguments, which are already redacted, to fit into its row.

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
