// Sends progress: never backwards, at most ten times a second, the last one before the reply.
import { after, monotonicMs } from '../../core/time.ts';
import type { Progress } from '../../toolkit/context.ts';

const INTERVAL_MS = 100;

export interface ProgressReport {
  readonly report: (progress: Progress) => void;
  /** Sends the pending message, then no more. */
  readonly end: () => Promise<void>;
}

export const createProgressReport = (send: (progress: Progress) => unknown): ProgressReport => {
  let held: Progress | undefined;
  let timer: Disposable | undefined;
  let sentAt = -Infinity;
  let reached = -Infinity;
  let ended = false;
  let lastSend: unknown;

  const flush = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (!held) return;
    sentAt = monotonicMs();
    lastSend = send(held);
    held = undefined;
  };

  return {
    report: (progress) => {
      if (ended || !(progress.done > reached)) return;
      reached = progress.done;
      held = progress;
      const wait = sentAt + INTERVAL_MS - monotonicMs();
      if (wait <= 0) flush();
      else timer ??= after(wait, flush);
    },
    end: async () => {
      flush();
      ended = true;
      await lastSend;
    },
  };
};
