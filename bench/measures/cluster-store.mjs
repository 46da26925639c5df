// The shared store of a cluster: ranges of a large payload, and changes of one row by many processes.
import { startProcess, withCluster } from '../lib/fleet.mjs';
import { ms, quantile } from '../lib/stats.mjs';

const measureRanges = async ({ load, stores, url }, reps) => {
  const [{ Handles }, { binaryPayload }, { WorkerPool }] = await Promise.all([
    load('handles'),
    load('payload'),
    load('pool'),
  ]);
  const store = await stores.openStore(url, { join: false });
  const handles = new Handles({
    payloads: store.payloads,
    ttlMs: 3_600_000,
    maxTotalBytes: 2 ** 31,
    sweepEveryMs: 300_000,
    log: stores.testLog,
    workers: new WorkerPool(),
  });
  const bytes = Buffer.alloc(5 * 1024 * 1024, 'page ');
  const { output_handle: handle } = await handles.store(
    binaryPayload(bytes, 'application/gzip'),
    'bench',
  );
  const took = [];
  for (let i = 0; i < reps; i++) {
    const start = Math.floor(Math.random() * (bytes.length - 65_536));
    const startedAt = performance.now();
    const payload = await handles.open(handle, {});
    await payload.read(start, start + 65_536);
    await payload[Symbol.asyncDispose]();
    took.push(performance.now() - startedAt);
  }
  await store[Symbol.asyncDispose]();
  return took;
};

const measureSwaps = async ({ stores, file, url }) => {
  const store = await stores.openStore(url, { join: false });
  const { task_id: id } = await store.tasks.create(stores.buildTask(store));
  const startedAt = performance.now();
  const counters = Array.from({ length: 8 }, () =>
    startProcess(file('member'), ['count', url, id, '500']),
  );
  await Promise.all(counters.map((counter) => counter.waitFor('done')));
  const tookMs = performance.now() - startedAt;
  const { total } = await store.tasks.require(id);
  let ordered = 0;
  await store.tasks.history(id, 1, ({ data }) => (ordered += data.total === ordered + 1 ? 1 : 0));
  await store[Symbol.asyncDispose]();
  return { tookMs, total, ordered };
};

export const clusterStore = ({ isQuick, log }) =>
  withCluster(async (context) => {
    const ranges = await measureRanges(context, isQuick ? 200 : 1000);
    const swaps = await measureSwaps(context);
    log(`swaps: ${JSON.stringify(swaps)}`);
    const alone = (what, ours, aim) => [what, '', '', ours, '', aim];
    return [
      alone('cluster: 64 kB of a 5 MB payload, p95', ms(quantile(ranges, 0.95)), 'under 20 ms'),
      alone(
        'cluster: 8 processes x 500 changes of one row',
        `${swaps.total} changes, ${swaps.ordered} ordered lines in ${ms(swaps.tookMs)}`,
        '4000 and 4000',
      ),
    ];
  });
