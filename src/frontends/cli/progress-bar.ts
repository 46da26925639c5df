// Renders the progress of a call as one line for stderr. Pure.
import type { ProgressMessage } from './client.ts';

const WIDTH = 24;

/** `[######------------------] 5/20 https://example.com/docs` */
export const renderProgress = ({ progress, total, message }: ProgressMessage): string => {
  const known = total !== undefined && total > 0;
  const share = known ? Math.min(1, progress / total) : 0;
  const full = Math.round(share * WIDTH);
  const bar = known ? `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ` : '';
  const count = known ? `${progress}/${total}` : `${progress}`;
  return message === undefined ? `${bar}${count}` : `${bar}${count} ${oneLine(message)}`;
};

/** Control characters in a page's title must not move the cursor. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
