// The ledger between processes: servers that are killed or stopped, several on one home, rows that
// others left.
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProcesses } from '../../src/system/process-identity.ts';
import { createTaskIds } from '../../src/core/ids.ts';
import { TaskEvent, TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import { type Failed, type TaskServer, useTaskServers } from './task-servers.ts';

const run = promisify(execFile);
const { home, file, startServer } = useTaskServers();
const nextId = createTaskIds();

const folderOf = (id: string): string => join(home(), 'tasks', id);
const countedTo = (server: TaskServer, id: string, done: number): Promise<void> =>
  expect
    .poll(async () => (await server.get(id)).meta.progress?.done ?? 0, {
      timeout: 10_000,
      interval: 20,
    })
    .toBeGreaterThanOrEqual(done);

/** A row that some other process has left. */
const plant = async (over: Partial<TaskMeta>, events: readonly object[] = []): Promise<string> => {
  const id = nextId();
  const meta = {
    task_id: id,
    kind: 'counts',
    status: 'RUNNING',
    session: 'default',
    pid: 2 ** 22 - 1,
    process_started_at: 1,
    created_at: Date.now(),
    args_summary: {},
  };
  await mkdir(folderOf(id), { recursive: true });
  await writeFile(join(folderOf(id), 'meta.json'), JSON.stringify({ ...meta, ...over }));
  await writeFile(
    join(folderOf(id), 'events.jsonl'),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
  return id;
};

beforeEach(() => rm(home(), { recursive: true, force: true, maxRetries: 5 }));

describe('a server that is killed', () => {
  it('leaves tasks that the next one ends as orphaned, with their partial results', async () => {
    const first = await startServer();
    const id = await first.start({ to: 1_000_000, unit_ms: 2 });
    await countedTo(first, id, 5);
    await first.kill();
    // as if it had died in the middle of a line
    await appendFile(join(folderOf(id), 'numbers.jsonl'), '{"n": 9999, "la');
    const second = await startServer();
    const { tasks } = await second.call<{ tasks: TaskMeta[] }>('oc_task_list');
    expect(tasks).toMatchObject([
      {
        task_id: id,
        status: 'FAILED',
        error: { code: 'orphaned' },
        result_path: join(folderOf(id), 'result.json'),
      },
    ]);
    const { result, events_tail: events } = await second.get(id, { include_result: true });
    expect(result?.stop_reason).toBe('orphaned');
    expect(result?.numbers.length).toBeGreaterThanOrEqual(5);
    expect(result?.numbers).toEqual(result?.numbers.map((_, i) => i + 1));
    expect(events.at(-1)).toMatchObject({ kind: 'failed', data: { code: 'orphaned' } });
  });

  it('is noticed by one that already runs, also while it waits', async () => {
    const [first, second] = [await startServer(), await startServer()];
    const id = await first.start({ to: 3, hang_at: 3 });
    expect((await second.get(id)).meta.status).toBe('RUNNING');
    const waiting = second.wait(id);
    await first.kill();
    expect(await waiting).toMatchObject({ status: 'FAILED', error: { code: 'orphaned' } });
  });

  it('leaves a waiting task, which fails in the same way', async () => {
    const first = await startServer();
    for (let i = 0; i < 16; i++) await first.start({ to: 1, hang_at: 1 });
    const id = await first.start({ to: 1 });
    expect((await first.get(id)).meta.status).toBe('PENDING');
    await first.kill();
    const { meta } = await (await startServer()).get(id);
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'orphaned' } });
    expect(meta).not.toHaveProperty('started_at');
  });

  it('does not undo an end that was reported but not yet written to the row', async () => {
    const id = await plant({ started_at: 1 }, [
      { ts: 1, kind: 'started' },
      { ts: 2, kind: 'completed', data: { result_path: '/somewhere/result.json' } },
    ]);
    const { meta, events_tail: events } = await (await startServer()).get(id);
    expect(meta).toMatchObject({ status: 'COMPLETED', result_path: '/somewhere/result.json' });
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'completed']);
  });
});

describe('a server that is stopped', () => {
  it.each<[string, (server: TaskServer) => Promise<void>]>([
    ['by SIGTERM', (server) => server.stop()],
    [
      'by its client, who closes stdin',
      (server) =>
        new Promise(
          (resolve) => (server.process.once('close', () => resolve()), server.process.stdin.end()),
        ),
    ],
  ])('%s ends its tasks as engine_stopped, with their partial results', async (_, stop) => {
    const first = await startServer();
    const id = await first.start({ to: 5, hang_at: 4 });
    await countedTo(first, id, 3);
    await stop(first);
    const { meta, result } = await (await startServer()).get(id, { include_result: true });
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'engine_stopped' } });
    expect(result).toEqual({ numbers: [1, 2, 3], stop_reason: 'engine_stopped' });
  });
});

describe('OPENCHROME_TASK_ROOT', () => {
  it('sets the folder of tasks', async () => {
    const root = `${home()}-elsewhere`;
    vi.stubEnv('OPENCHROME_TASK_ROOT', root);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    });
    const [one, other] = [await startServer(), await startServer()];
    const id = await one.start({ to: 2 });
    expect(await other.wait(id)).toMatchObject({
      status: 'COMPLETED',
      result_path: join(root, id, 'result.json'),
    });
    expect(await readdir(join(root, id))).toEqual(
      expect.arrayContaining(['meta.json', 'events.jsonl', 'result.json']),
    );
    expect(await readdir(home()).catch(() => [])).not.toContain('tasks');
  });
});

describe('two servers on one home', () => {
  it('leave each other their tasks', async () => {
    const first = await startServer();
    const id = await first.start({ to: 200, unit_ms: 5 });
    const second = await startServer();
    expect((await second.get(id)).meta.status).toBe('RUNNING');
    expect((await first.wait(id)).status).toBe('COMPLETED');
  });

  it('cancel each other their tasks within two seconds', async () => {
    const [first, second] = [await startServer(), await startServer()];
    const id = await first.start({ to: 1_000_000, unit_ms: 5 });
    const before = performance.now();
    expect(await second.call('oc_task_cancel', { task_id: id })).toMatchObject({
      status: 'CANCELLED',
    });
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('report an end to each other within 200 ms', async () => {
    const [first, second] = [await startServer(), await startServer()];
    const late: number[] = [];
    for (let i = 0; i < 5; i++) {
      const id = await first.start({ to: 20, unit_ms: 10 });
      const { ended_at: endedAt = 0 } = await second.wait(id);
      late.push(Date.now() - endedAt);
    }
    // Of five the middle one: a disk that is busy with other things takes its time once or twice.
    expect(late.sort((a, b) => a - b)[2]).toBeLessThan(200);
  });
});

describe('a row of a process', () => {
  it('whose number now belongs to another one is orphaned', async () => {
    const id = await plant({ pid: process.pid, process_started_at: 1_000_000_000_000 });
    expect((await (await startServer()).get(id)).meta).toMatchObject({
      status: 'FAILED',
      error: { code: 'orphaned' },
    });
  });

  it('that is running is kept, also if it recorded its start only by the clock', async () => {
    const id = await plant({
      pid: process.pid,
      process_started_at: Math.round(performance.timeOrigin),
    });
    expect((await (await startServer()).get(id)).meta.status).toBe('RUNNING');
  });

  it('in another container is kept while it updates the row', async () => {
    const [alive, silent] = [
      { started: '1', host: 'elsewhere' },
      { started: '2', host: 'elsewhere' },
    ];
    const ids = [await plant({ process: alive }), await plant({ process: silent })];
    await utimes(join(folderOf(ids[1] ?? ''), 'meta.json'), new Date(0), new Date(0));
    const server = await startServer();
    expect(await Promise.all(ids.map(async (id) => (await server.get(id)).meta.status))).toEqual([
      'RUNNING',
      'FAILED',
    ]);
  });

  it('that has exited does not end an envelope, which the host controls', async () => {
    const id = await plant({ kind: 'browser_task', objective: 'find it' });
    const server = await startServer();
    expect((await server.get(id)).meta).toMatchObject({ status: 'RUNNING', objective: 'find it' });
    expect(
      await server.call<Failed>('oc_task_wait', { task_id: id, timeout_ms: 20 }),
    ).toMatchObject({
      error: { code: 'task_wait_timeout' },
    });
    expect(await server.call('oc_task_cancel', { task_id: id })).toMatchObject({
      status: 'CANCELLED',
      objective: 'find it',
    });
  });

  it('that left its lock behind can be changed nevertheless', async () => {
    const id = await plant({});
    const holder = { ...createProcesses().own, pid: 2 ** 22 - 1 };
    await writeFile(
      join(folderOf(id), 'lock'),
      JSON.stringify({ holder, token: '0123456789abcdef' }),
    );
    const server = await startServer();
    expect((await server.get(id)).meta).toMatchObject({
      status: 'FAILED',
      error: { code: 'orphaned' },
    });
    expect(await readdir(folderOf(id))).not.toContain('lock');
  });
});

describe.runIf(process.platform !== 'win32')('a full disk', () => {
  it('fails the task whose result it has no room for, and leaves no lock', async () => {
    // The limit on the size of a file holds for the result alone: everything else is small.
    const client = `
      const { spawn } = await import('node:child_process');
      const server = spawn('sh', ['-c', 'ulimit -f 16; exec "$0" "$1"', process.execPath, process.argv[1]], { stdio: ['pipe', 'pipe', 'inherit'] });
      let id = 0, rest = '';
      const waiting = new Map();
      server.stdout.on('data', (chunk) => { const lines = (rest + chunk).split('\\n'); rest = lines.pop(); for (const line of lines) { const m = JSON.parse(line); waiting.get(m.id)?.(m.result.content[0].text); } });
      const call = (name, args) => new Promise((resolve) => { waiting.set(++id, resolve); server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }) + '\\n'); });
      const { task_id } = JSON.parse(await call('oc_task_start', { kind: 'counts', args: { to: 5000, unit_ms: 0 } }));
      process.stdout.write(await call('oc_task_wait', { task_id }));
      server.stdin.end();
    `;
    const env = { ...process.env, OPENCHROME_HOME: home() };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', client, file()], {
      env,
    });
    const meta = JSON.parse(stdout) as TaskMeta;
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'storage_failed' } });
    expect((await readdir(folderOf(meta.task_id))).filter((name) => name.includes('lock'))).toEqual(
      [],
    );
  });
});

/** The states in a history, in order. */
const historyOf = async (id: string): Promise<string[]> => {
  const lines = (await readFile(join(folderOf(id), 'events.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  return lines
    .map((line) => TaskEvent.parse(JSON.parse(line)).kind)
    .filter((kind) => kind !== 'progress' && kind !== 'log');
};

/** The allowed histories, by final state. */
const LEGAL: Readonly<Record<string, readonly string[]>> = {
  COMPLETED: ['started completed', 'started cancel_requested completed'],
  CANCELLED: ['cancelled', 'started cancel_requested cancelled', 'started cancelled'],
  FAILED: ['failed', 'started failed', 'started cancel_requested failed'],
};

describe('four servers, a hundred starts, cancels and waits each, all at once', () => {
  it('lose no task, tear no file and take no illegal step', { timeout: 240_000 }, async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => startServer()));
    const started = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 100 }, (_, i) => server.start({ to: 2, unit_ms: i % 3 })),
      ),
    );
    expect(new Set(started).size).toBe(400);
    const other = (i: number): TaskServer => servers[(i * 7 + 1) % 4] as TaskServer;
    const outcomes = await Promise.all(
      started.flatMap((id, i) => [
        other(i).wait(id, 180_000),
        i % 2
          ? other(i + 1).call<TaskMeta>('oc_task_cancel', { task_id: id })
          : other(i + 2).get(id),
      ]),
    );
    expect(outcomes.filter((outcome) => 'error' in outcome && !('status' in outcome))).toEqual([]);
    const listed = await Promise.all(
      servers.map((server) =>
        server.call<{ tasks: TaskMeta[]; unreadable?: number }>('oc_task_list', {
          limit: 1000,
          output_mode: 'inline',
        }),
      ),
    );
    for (const { tasks, unreadable } of listed) {
      expect(unreadable).toBeUndefined();
      expect(tasks.map(({ task_id: id }) => id)).toEqual(started.toSorted().toReversed());
    }
    for (const id of started) {
      const { status } = TaskMeta.parse(
        JSON.parse(await readFile(join(folderOf(id), 'meta.json'), 'utf8')),
      );
      expect(LEGAL[status]).toContain((await historyOf(id)).join(' '));
      expect((await readdir(folderOf(id))).filter((name) => /lock|tmp/.test(name))).toEqual([]);
      const { result } = await (servers[0] as TaskServer).get(id, { include_result: true });
      if (status === 'COMPLETED') expect(result?.numbers).toEqual([1, 2]);
    }
    expect((await readdir(join(home(), 'tasks'))).filter((name) => name.startsWith('.'))).toEqual(
      [],
    );
  });
});

describe('four servers, of which two are killed in the middle', () => {
  it('leave no task that the other servers cannot end', { timeout: 240_000 }, async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => startServer()));
    const [first, second, third, fourth] = servers as [
      TaskServer,
      TaskServer,
      TaskServer,
      TaskServer,
    ];
    const started = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 40 }, () => server.start({ to: 50, unit_ms: 2 })),
      ),
    );
    for (const id of started.filter((_, i) => i % 3 === 0))
      void fourth.call('oc_task_cancel', { task_id: id });
    await Promise.all([first.kill(), second.kill()]);
    const ended = await Promise.all(started.map((id) => third.wait(id, 180_000)));
    expect(ended.map(({ task_id: id }) => id)).toEqual(started);
    for (const { task_id: id, status, error } of ended) {
      expect(LEGAL[status]).toContain((await historyOf(id)).join(' '));
      if (status === 'FAILED') expect(error?.code).toBe('orphaned');
      expect(await readdir(folderOf(id))).not.toContain('lock');
    }
    expect(ended.filter(({ status }) => status === 'FAILED').length).toBeGreaterThan(0);
    expect(
      await third.call('oc_task_list', {
        limit: 1000,
        output_mode: 'inline',
      }),
    ).toMatchObject({ count: 160 });
  });
});
