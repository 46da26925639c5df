// Renders the progress of a call as one line for stderr. Pure.
import type { ProgressMessage } from './client.ts';
import { formatCount, formatDuration } from './moments.ts';
import { toOneLine } from './text-layout.ts';

const WIDTH = 24;

/** `[######------]` */
export const drawBar = (share: number, width = WIDTH): string => {
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
