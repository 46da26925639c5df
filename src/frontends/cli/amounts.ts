// Formats times, ages, durations, sizes and progress for people. Pure.
import type { ProgressMessage } from './client.ts';
import { toOneLine } from './text-layout.ts';

const pad = (value: number): string => String(value).padStart(2, '0');

/** The local time of day, with the date if it is not today. */
export const formatTime = (ms: number, now: number): string => {
  const date = new Date(ms);
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time}`;
};

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

/** `7 s`, `3 min`, `2 h`, `5 d`. */
export const formatAge = (ms: number): string => {
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / unit))} ${name}`;
};

/** `340 ms`, `7.2 s`, `3 min 20 s`, `1 h 2 min`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `512 B`, `34 kB`, `1.2 MB`. */
export const formatSize = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < SIZES.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${SIZES[unit]}`;
};

export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const BAR_WIDTH = 24;

/** `[######------]` */
export const drawBar = (share: number, width = BAR_WIDTH): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
};

/** `[######------------------] 5/20 https://example.com/docs` */
export const renderProgress = ({ progress, total, message }: ProgressMessage): string => {
  const isKnown = total !== undefined && total > 0;
  const bar = isKnown ? `${drawBar(progress / total)} ` : '';
  const count = isKnown ? `${progress}/${total}` : `${progress}`;
  return message === undefined ? `${bar}${count}` : `${bar}${count} ${toOneLine(message)}`;
};

export interface WorkProgress {
  readonly done: number;
  readonly total: number | undefined;
  readonly errors: number;
  readonly elapsedMs: number;
  readonly message?: string | undefined;
}

/** `[######----] 12/40  3.1 pages/s  1 error  9 s left  https://example.com/docs` */
export const renderWork = ({ done, total, errors, elapsedMs, message }: WorkProgress): string => {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const left = total === undefined || rate === 0 ? undefined : ((total - done) / rate) * 1000;
  return [
    total === undefined ? '' : drawBar(done / Math.max(1, total)),
    total === undefined ? formatCount(done, 'page') : `${done}/${total}`,
    rate === 0 ? '' : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} pages/s`,
    formatCount(errors, 'error'),
    left === undefined || left <= 0 ? '' : `${formatDuration(left)} left`,
    message === undefined ? '' : toOneLine(message),
  ]
    .filter((part) => part !== '')
    .join('  ');
};
