// How far long work is, as one line on stderr that people can watch. Pure.
import type { ProgressMessage } from './client.ts';

const WIDTH = 24;

/** `[######------------------] 5/20 https://example.com/docs` */
export const renderProgress = ({ progress, total, message }: ProgressMessage): string => {
  const known = total !== undefined && total > 0;
  const share = known ? Math.min(1, progress / total) : 0;
  const full = Math.round(share * WIDTH);
  const bar = known ? `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ` : '';
  return `${bar}${progress}${known ? `/${total}` : ''}${message === undefined ? '' : ` ${oneLine(message)}`}`;
};

/** A page's title must not move the cursor. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
