// A worker that takes page visits as jobs of graphile-worker, for the comparison with plain SQL:
// `node job-engine-member.mjs URL LOAD_MS SLOTS BATCH`. Writes its result before the job ends.
import { runTaskList } from 'graphile-worker';
import pg from 'pg';

const [, , connectionString = '', loadMs = '5', slots = '8', batch = '0'] = process.argv;
const pool = new pg.Pool({ connectionString, max: 4 });
pool.on('error', () => {});
pool.on('connect', (client) => client.on('error', () => {}));
const preset =
  batch === '0'
    ? {}
    : { preset: { worker: { localQueue: { size: Number(batch) }, completeJobBatchDelay: 5 } } };
const workers = runTaskList(
  {
    schema: 'openchrome_jobs',
    concurrency: Number(slots),
    pollInterval: 1000,
    noHandleSignals: true,
    ...preset,
  },
  {
    visit: async (payload) => {
      const { n } = payload as { n: number };
      process.stdout.write(`claimed ${n}\n`);
      await new Promise((resolve) => setTimeout(resolve, Number(loadMs)));
      await pool.query('insert into bench_results values ($1, $2) on conflict do nothing', [
        n,
        JSON.stringify({ url: `http://a.test/${n}`, title: 'x'.repeat(500) }),
      ]);
    },
  },
  pool,
);
process.stdout.write(`joined ${workers.id}\n`);
