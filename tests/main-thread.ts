// Measures how long the main thread of a test works.
import { readFileSync } from 'node:fs';

/** CPU time of the main thread, which does not depend on the load; elsewhere the elapsed time. */
export const readMainThreadMs = (): number => {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
};
