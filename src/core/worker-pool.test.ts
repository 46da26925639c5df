// The worker pool keeps its limits: threads, queue, memory, time; and replaces threads that were
// terminated.
import { afterEach, expect, test } from 'vitest';
import { fail } from './failure.ts';
import { isWorkerOutOfMemory, WorkerPool, type WorkerScript } from './worker-pool.ts';

/**
 * Answers `{ id, value }` with the thread's id; `{ spin }` never returns, `{ grow }` fills the
 * heap.
 */
const SOURCE = `
const { parentPort, threadId } = require('node:worker_threads');
parentPort.on('message', (job) => {
  for (const kept = []; job.spin || job.grow;) if (job.grow) kept.push(new Array(1000).fill(kept.length));
  if (job.fail) throw new Error(job.fail);
  const gate = job.gate && new Int32Array(job.gate);
  if (gate) { Atomics.add(gate, 1, 1); Atomics.notify(gate, 1); Atomics.wait(gate, 0, 0); }
  parentPort.postMessage({ id: threadId, value: job.value });
});`;

const script = (name = 'test'): WorkerScript => ({
  name,
  loadSource: async () => SOURCE,
  maxHeapMb: 32,
});
const pools: WorkerPool[] = [];
const createPool = (limits: ConstructorParameters<typeof WorkerPool>[0] = {}): WorkerPool => {
  const pool = new WorkerPool({ maxThreads: 2, ...limits });
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

interface Echo {
  readonly id: number;
  readonly value: unknown;
}
const LONG = { timeoutMs: 60_000 };

/** Holds jobs inside their threads until it is opened, and counts those that arrived. */
const createGate = (): {
  gate: SharedArrayBuffer;
  open(): void;
  arrived(count: number): Promise<void>;
} => {
  const gate = new SharedArrayBuffer(8);
  const cells = new Int32Array(gate);
  return {
    gate,
    open: () => {
      Atomics.store(cells, 0, 1);
      Atomics.notify(cells, 0);
    },
    arrived: async (count) => {
      while (Atomics.load(cells, 1) < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

test('a job is answered, and the next one uses the same thread', async () => {
  const [pool, echo] = [createPool(), script()];
  const first = await pool.run<Echo>(echo, { value: 'a' }, LONG);
  const second = await pool.run<Echo>(echo, { value: 'b' }, LONG);
  expect([first.value, second.value]).toEqual(['a', 'b']);
  expect(second.id).toBe(first.id);
});

test('no more threads run than allowed, and the other jobs wait for their turn', async () => {
  const [pool, echo, gate] = [createPool(), script(), createGate()];
  const jobs = [1, 2, 3, 4].map((value) => pool.run<Echo>(echo, { value, gate: gate.gate }, LONG));
  await gate.arrived(2);
  expect(pool.load).toEqual({ running: 2, idle: 0, queued: 2 });
  gate.open();
  const answers = await Promise.all(jobs);
  expect(answers.map(({ value }) => value)).toEqual([1, 2, 3, 4]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
});

test('background jobs leave a thread to foreground jobs', async () => {
  const [pool, echo, gate] = [createPool(), script(), createGate()];
  const background = [1, 2, 3].map((value) =>
    pool.run(echo, { value, gate: gate.gate }, { ...LONG, background: true }),
  );
  await gate.arrived(1);
  expect(pool.load).toEqual({ running: 1, idle: 0, queued: 2 });
  expect(await pool.run<Echo>(echo, { value: 'now' }, LONG)).toMatchObject({ value: 'now' });
  gate.open();
  await Promise.all(background);
});

test('a full queue rejects further jobs', async () => {
  const [pool, echo, gate] = [createPool({ maxQueued: 1 }), script(), createGate()];
  const jobs = [1, 2, 3].map((value) => pool.run(echo, { value, gate: gate.gate }, LONG));
  await expect(pool.run(echo, {}, LONG)).rejects.toMatchObject({ code: 'overloaded' });
  gate.open();
  await Promise.all(jobs);
});

test('a job that does not return is terminated at its deadline, and its thread is replaced', async () => {
  const [pool, echo] = [createPool(), script()];
  const onTimeout = () => fail('timeout', 'too slow');
  const spinning = [1, 2].map(() => pool.run(echo, { spin: true }, { timeoutMs: 50, onTimeout }));
  for (const job of spinning)
    await expect(job).rejects.toMatchObject({ code: 'timeout', message: 'too slow' });
  expect(await pool.run<Echo>(echo, { value: 'next' }, LONG)).toMatchObject({ value: 'next' });
});

test('an aborted job leaves the queue, or ends its thread', async () => {
  const [pool, echo, gate] = [createPool(), script(), createGate()];
  const abort = new AbortController();
  const jobs = [1, 2, 3].map(() =>
    pool.run(echo, { gate: gate.gate }, { ...LONG, signal: abort.signal }),
  );
  await gate.arrived(2);
  abort.abort(fail('cancelled', 'stop'));
  for (const job of jobs) await expect(job).rejects.toMatchObject({ code: 'cancelled' });
  expect(pool.load.queued).toBe(0);
  await expect(pool.run(echo, {}, { ...LONG, signal: abort.signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(await pool.run<Echo>(echo, { value: 1 }, LONG)).toMatchObject({ value: 1 });
});

test('a job that exceeds its memory or throws does not affect other jobs', async () => {
  const [pool, echo] = [createPool(), script()];
  await expect(pool.run(echo, { fail: 'broken' }, LONG)).rejects.toThrow('broken');
  const error = await pool.run(echo, { grow: true }, LONG).catch((caught: unknown) => caught);
  expect(isWorkerOutOfMemory(error)).toBe(true);
  expect(await pool.run<Echo>(echo, { value: 1 }, LONG)).toMatchObject({ value: 1 });
});

test('a script that needs a thread ends an idle one of another script', async () => {
  const pool = createPool();
  const [one, two, three] = [script('one'), script('two'), script('three')];
  for (const each of [one, two, three]) await pool.run(each, {}, LONG);
  expect(pool.load).toEqual({ running: 0, idle: 2, queued: 0 });
});

test('a spare thread keeps idle threads of other scripts', async () => {
  const pool = createPool({ spareThreads: 1 });
  const [one, two, three] = [script('one'), script('two'), script('three')];
  const { id } = await pool.run<Echo>(one, {}, LONG);
  for (const each of [two, three]) await pool.run(each, {}, LONG);
  expect(await pool.run<Echo>(one, {}, LONG)).toMatchObject({ id });
});

test('a thread is not reused after a job that wants it retired', async () => {
  const [pool, echo] = [createPool(), script()];
  const first = await pool.run<Echo>(echo, {}, { ...LONG, retireThread: true });
  const second = await pool.run<Echo>(echo, {}, LONG);
  expect(second.id).not.toBe(first.id);
});

test('closing rejects what runs and what waits', async () => {
  const [pool, echo, gate] = [createPool(), script(), createGate()];
  const jobs = [1, 2, 3].map(() => pool.run(echo, { gate: gate.gate }, LONG));
  const ends = Promise.allSettled(jobs);
  await gate.arrived(2);
  await pool.close();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await expect(pool.run(echo, {}, LONG)).rejects.toMatchObject({ code: 'engine_stopped' });
});
