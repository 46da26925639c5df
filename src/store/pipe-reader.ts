// Whether somebody still reads what a pipe is given: a writer is else told only by its next write.
import { closeSync, constants, fstatSync, openSync } from 'node:fs';

/** True wherever it cannot be told: for what is no pipe, and on systems without /proc. */
export const hasReader = (fd: number): boolean => {
  try {
    if (!fstatSync(fd).isFIFO()) return true;
    closeSync(openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENXIO';
  }
};
