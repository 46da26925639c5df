// A cluster to measure: a PostgreSQL server of its own, processes without a browser, real workers,
// and the processor time that they use.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../../scripts/bundle.mjs';
import { OPENCHROME } from './openchrome.mjs';

const ENTRIES = {
  postgres: 'tests/cluster/postgres.ts',
  stores: 'tests/cluster/stores.ts',
  member: 'tests/cluster/member-process.ts',
  proxy: 'tests/cluster/database-proxy.ts',
  engine: 'bench/lib/job-engine-member.ts',
  handles: 'src/store/handles/handles.ts',
  payload: 'src/store/handles/handle-payload.ts',
  pool: 'src/core/worker-pool.ts',
};

/** Runs `measure` with a new database server, and removes everything after it. */
export const withCluster = async (measure) => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-bench-cluster-'));
  await bundle({
    entryPoints: ENTRIES,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  const file = (name) => join(folder, `${name}.mjs`);
  const load = (name) => import(file(name));
  const [postgres, stores] = [await load('postgres'), await load('stores')];
  const server = await postgres.startOwnPostgres();
  try {
    const url = await server.createDatabase();
    return await measure({ folder, file, load, postgres, stores, server, url });
  } finally {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
};

const readStat = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
  } catch {
    return []; // has ended
  }
};

const sumFields = (stat, fields) => fields.reduce((sum, i) => sum + (stat[i] ?? 0), 0) * 10;

/** Processor time of one process in milliseconds. */
export const readCpuMs = (pid) => sumFields(readStat(pid), [11, 12]);

/** Processor time of a PostgreSQL server and of all its backends, also of those that have ended. */
export const readServerCpuMs = (pid) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat[1] === pid)
    .reduce(
      (sum, stat) => sum + sumFields(stat, [11, 12]),
      sumFields(readStat(pid), [11, 12, 13, 14]),
    );

/** A process of the cluster without a browser, and the lines that it prints. */
export const startProcess = (file, args) => {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = [];
  const waiting = new Set();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const waitFor = (words) =>
    new Promise((resolve) => {
      const look = () => {
        const line = lines.find((text) => text === words || text.startsWith(`${words} `));
        if (line === undefined) return;
        waiting.delete(look);
        resolve(line.slice(words.length + 1));
      };
      waiting.add(look);
      look();
    });
  const end = async () => {
    const exited = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { child, lines, waitFor, end };
};

/** A real worker; it has joined the cluster when this returns. */
export const startWorker = async ({ url, folder, slots }) => {
  const args = [...OPENCHROME.toSpliced(1, 0, 'worker'), '--slots', String(slots)];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      OPENCHROME_HOME: mkdtempSync(join(folder, 'home-')),
      OPENCHROME_CLUSTER: url,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise((resolve, reject) => {
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('openchrome worker with')) resolve();
    });
    child.once('exit', () => reject(new Error(`the worker ended: ${output}`)));
  });
  const end = async () => {
    const exited = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGTERM'); // ends its Chrome too
    await exited;
  };
  return { pid: child.pid, end };
};

export const startTask = async (gateway, args) =>
  JSON.parse(await gateway.call('oc_task_start', { kind: 'crawl', args })).task_id;

export const readTask = async (gateway, task_id) =>
  JSON.parse(await gateway.call('oc_task_get', { task_id })).meta;

/** A call of the bench must return within two minutes. */
export const waitForEnd = async (gateway, task_id) => {
  for (;;) {
    const row = await readTask(gateway, task_id);
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    await gateway.call('oc_task_wait', { task_id, timeout_ms: 30_000 }).catch(() => {});
  }
};
