// Real processes of a cluster on a real PostgreSQL: frozen leads, races and long crawls.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterStore } from '../../src/store/cluster/cluster-store.ts';
import { bundleMemberProcess, type MemberProcesses } from './member-processes.ts';
import { type OwnPostgres, startOwnPostgres } from './postgres.ts';
import { buildTask, openStore, submitted } from './stores.ts';

let postgres: OwnPostgres;
let processes: MemberProcesses;

beforeAll(async () => {
  [postgres, processes] = await Promise.all([startOwnPostgres(), bundleMemberProcess()]);
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const openGateway = async (): Promise<{ url: string; store: ClusterStore }> => {
  const url = await postgres.createDatabase();
  const store = await openStore(url, { role: 'gateway' });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { url, store };
};

const start = (
  ...args: Parameters<MemberProcesses['start']>
): ReturnType<MemberProcesses['start']> => {
  const member = processes.start(...args);
  onTestFinished(() => member[Symbol.asyncDispose]());
  return member;
};

const readLines = async (
  store: ClusterStore,
  id: string,
): Promise<{ n: number; member: string }[]> => {
  const lines: { n: number; member: string }[] = [];
  for await (const line of store.tasks
    .files(id)
    .entries<{ n: number; member: string }>('pages.jsonl'))
    lines.push(line);
  return lines;
};

describe('processes of a cluster', () => {
  it('make 4,000 changes of one row from 8 processes, with 4,000 ordered history lines', async () => {
    const { url, store } = await openGateway();
    const { task_id: id } = await store.tasks.create(buildTask(store));
    const counters = Array.from({ length: 8 }, () => start('count', url, id, '500'));
    await Promise.all(counters.map((counter) => counter.waitFor('done')));
    expect(await store.tasks.require(id)).toMatchObject({ total: 4000 });
    const totals: number[] = [];
    await store.tasks.history(id, 1, ({ data }) => totals.push((data as { total: number }).total));
    expect(totals).toEqual(Array.from({ length: 4000 }, (_, i) => i + 1));
  }, 240_000);

  it('reject the writes of a lead that was frozen and resumed', async () => {
    const { url, store } = await openGateway();
    const { task_id: id } = await store.leases.submit(buildTask(store), submitted);
    const frozen = start('lead', url, '20');
    await frozen.waitFor('line 5');
    const other = start('lead', url, '100');
    await other.waitFor('joined');
    frozen.process.kill('SIGSTOP');
    expect(await other.waitFor('leads')).toBe(`${id} 2`);
    frozen.process.kill('SIGCONT');
    expect(await frozen.waitFor('stopped')).toBe('engine_stopped');
    other.process.kill('SIGKILL');
    await frozen.waitFor(`leads ${id} 3`);
    const lines = await readLines(store, id);
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: lines.length }, (_, n) => n));
  }, 120_000);
});
