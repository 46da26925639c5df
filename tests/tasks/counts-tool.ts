// A long-running tool for tests: counts up in units of work, keeps every number, and can fail, hang
// or be deaf on the way.
import { z } from 'zod';
import { fail } from '../../src/core/failure.ts';
import { abortable, sleep } from '../../src/core/time.ts';
import type { KeptFiles } from '../../src/store/tasks/working-files.ts';
import { defineTool } from '../../src/toolkit/define-tool.ts';

interface Counted {
  readonly numbers: readonly number[];
  readonly stop_reason: string;
}

const assemble = async (kept: KeptFiles, stopReason: string): Promise<Counted> => {
  const numbers: number[] = [];
  for await (const { n } of kept.entries<{ n: number }>('numbers.jsonl')) numbers.push(n);
  return { numbers, stop_reason: stopReason };
};

export const counts = defineTool({
  name: 'counts',
  description: 'Counts from one on, for tests.',
  tier: 2,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: true,
    duration: 'job',
    dialog: 'allowed',
    timeoutMs: 60_000,
    large: true,
    items: 'numbers',
    resumes: true,
  },
  input: () => ({
    to: z.number().int().min(0).default(3),
    /** How long one unit of work takes. */
    unit_ms: z.number().min(0).default(0),
    fail_at: z.number().optional(),
    defect_at: z.number().optional(),
    /** Runs forever after this number. */
    hang_at: z.number().optional(),
    /** Does not look at its signal within a unit of work. */
    deaf: z.boolean().default(false),
    label: z.string().default(''),
    password: z.string().optional(),
  }),
  examples: [{ to: 3 }],
  run: async (
    { to, unit_ms, fail_at, defect_at, hang_at, deaf, label },
    { job, signal, progress, note },
  ) => {
    const before = job.previous ? (await assemble(job.previous, '')).numbers : [];
    for (const n of before) await job.append('numbers.jsonl', { n });
    for (let n = before.length + 1; n <= to; n++) {
      signal.throwIfAborted();
      if (n === fail_at) throw fail('navigation_failed', `Could not count to ${n}.`);
      if (n === defect_at) throw new TypeError('a bug');
      if (n === hang_at) await abortable(new Promise(() => {}), signal);
      if (unit_ms > 0) await sleep(unit_ms, deaf ? undefined : signal);
      await job.append('numbers.jsonl', { n, label });
      progress({ done: n, total: to, message: `counted ${label}${n}` });
    }
    note(`counted to ${to}`);
    return assemble(job, 'done');
  },
  assemble: (kept, { code }) => assemble(kept, code),
});
