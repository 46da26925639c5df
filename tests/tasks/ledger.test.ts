// The ledger through its five tools, in one engine: what is written down, what is refused, what is
// kept.
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { TaskEvent, TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import { defineTool } from '../../src/toolkit/define-tool.ts';
import { counts } from './counts-tool.ts';
import type { Details, Failed } from './task-servers.ts';

/** Returns the path that it was given, as the guard resolved it. */
const namesFile = defineTool({
  name: 'names_file',
  description: 'Names a file, for tests.',
  tier: 2,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: true,
    duration: 'job',
    dialog: 'allowed',
    timeoutMs: 10_000,
    files: ['path'],
  },
  input: () => ({ path: z.string() }),
  examples: [{ path: 'a.txt' }],
  run: ({ path }) => ({ path }),
});

let home = '';
let engine: Engine;

const openEngine = (flags: readonly string[] = []): Engine =>
  createEngine({
    config: resolveConfig({ flags: ['--log-level', 'error', ...flags] }),
    home: resolveHome({ OPENCHROME_HOME: home }),
    tools: [counts, namesFile],
  });

const call = async <T>(name: string, args: object = {}, on = engine): Promise<T> => {
  const { text, failure } = await on.call({ name, arguments: args });
  return (failure ? failure.toJSON() : JSON.parse(text ?? 'null')) as T;
};
const start = async (args: object = {}): Promise<string> =>
  (await call<{ task_id: string }>('oc_task_start', { kind: 'counts', args })).task_id;
const wait = (id: string, timeoutMs = 20_000): Promise<TaskMeta> =>
  call('oc_task_wait', { task_id: id, timeout_ms: timeoutMs });
const get = (id: string): Promise<Details> =>
  call('oc_task_get', { task_id: id, include_result: true });
const kinds = (events: readonly TaskEvent[]): string[] => events.map(({ kind }) => kind);
/** Waits until the task has counted this far. */
const countedTo = (id: string, done: number): Promise<void> =>
  expect
    .poll(async () => (await get(id)).meta.progress?.done ?? 0, { timeout: 10_000, interval: 20 })
    .toBeGreaterThanOrEqual(done);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'openchrome-ledger-'));
  engine = openEngine();
});
afterEach(async () => {
  await engine.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

describe('a task', () => {
  it('is started at once, done in the background, and leaves its whole story', async () => {
    const started = await call<Record<string, string>>('oc_task_start', {
      kind: 'counts',
      args: { to: 3 },
    });
    expect(started).toEqual({
      task_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      status: 'RUNNING',
      kind: 'counts',
    });
    const id = started['task_id'] ?? '';
    const meta = await wait(id);
    expect(meta).toEqual({
      task_id: id,
      kind: 'counts',
      status: 'COMPLETED',
      session: 'default',
      pid: process.pid,
      process_started_at: expect.any(Number) as number,
      created_at: expect.any(Number) as number,
      started_at: expect.any(Number) as number,
      ended_at: expect.any(Number) as number,
      args_summary: { to: 3 },
      progress: { done: 3, total: 3, message: 'counted 3' },
      result_path: join(home, 'tasks', id, 'result.json'),
    });
    const { events_tail: events, result } = await get(id);
    expect(result).toEqual({ numbers: [1, 2, 3], stop_reason: 'done' });
    expect([kinds(events)[0], kinds(events).at(-1)]).toEqual(['started', 'completed']);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'log', data: { message: 'counted to 3' } }),
    );
    expect(JSON.parse(await readFile(meta.result_path ?? '', 'utf8'))).toEqual(result);
    expect((await readdir(join(home, 'tasks', id))).sort()).toEqual([
      'events.jsonl',
      'meta.json',
      'numbers.jsonl',
      'result.json',
    ]);
  });

  it('resolves a relative path in the folder of the caller, not in the folder of the server', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'openchrome-caller-')));
    const args = { kind: 'names_file', args: { path: 'out/a.txt' } };
    const started = await engine.call({ name: 'oc_task_start', arguments: args, folder });
    const { task_id: id } = JSON.parse(started.text ?? '') as { task_id: string };
    await wait(id);
    expect((await get(id)).result).toEqual({ path: join(folder, 'out', 'a.txt') });
    await rm(folder, { recursive: true });
  });

  it('returns the same payload as the direct call, which leaves no row', async () => {
    const direct = await call('counts', { to: 4 });
    expect(await call('oc_task_list')).toEqual({ tasks: [], count: 0 });
    const id = await start({ to: 4 });
    await wait(id);
    expect((await get(id)).result).toEqual(direct);
  });

  it('is an ordinary call: it is in the journal under its tool', async () => {
    await wait(await start({ to: 1 }));
    await expect
      .poll(() => call('oc_journal', { tool: 'counts' }))
      .toMatchObject([{ tool: 'counts', ok: true, args: { to: 1 } }]);
  });

  it('belongs to the session of its caller', async () => {
    const { task_id: id } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'counts',
      session: 'research',
    });
    expect((await wait(id)).session).toBe('research');
  });

  it('that was cancelled keeps its partial result', async () => {
    const id = await start({ to: 1_000_000, unit_ms: 5 });
    await countedTo(id, 3);
    const before = Date.now();
    expect(await call('oc_task_cancel', { task_id: id })).toMatchObject({
      status: 'CANCELLED',
      cancel_requested_at: expect.any(Number) as number,
    });
    expect(Date.now() - before).toBeLessThan(2_000);
    const { result, events_tail: events, meta } = await get(id);
    expect(result?.stop_reason).toBe('cancelled');
    expect(result?.numbers.length).toBeGreaterThanOrEqual(3);
    expect(kinds(events).filter((kind) => kind.startsWith('cancel'))).toEqual([
      'cancel_requested',
      'cancelled',
    ]);
    expect(kinds(events).at(-1)).toBe('cancelled');
    expect(meta).not.toHaveProperty('error');
  });

  it('that was cancelled runs on for one unit of work at most, and that unit is kept', async () => {
    const id = await start({ to: 1_000_000, unit_ms: 300, deaf: true });
    await countedTo(id, 1);
    await call('oc_task_cancel', { task_id: id });
    const { numbers } = (await get(id)).result ?? { numbers: [] };
    expect(numbers.length).toBeLessThanOrEqual(3);
    const kept = await readFile(join(home, 'tasks', id, 'numbers.jsonl'), 'utf8');
    expect(kept.trim().split('\n')).toHaveLength(numbers.length);
  });

  it('that is cancelled again after its end is returned unchanged', async () => {
    const id = await start({ to: 1 });
    const ended = await wait(id);
    expect(await call('oc_task_cancel', { task_id: id })).toEqual(ended);
  });

  it('that throws fails with the reason and its partial result, and leaves no lock', async () => {
    const id = await start({ to: 9, fail_at: 4 });
    expect(await wait(id)).toMatchObject({
      status: 'FAILED',
      error: { code: 'navigation_failed', message: 'Could not count to 4.' },
    });
    expect((await get(id)).result).toEqual({
      numbers: [1, 2, 3],
      stop_reason: 'navigation_failed',
    });
    expect(await readdir(join(home, 'tasks', id))).not.toContain('lock');
  });

  it('that meets a bug fails as internal, without telling of its inside', async () => {
    const id = await start({ to: 2, defect_at: 2 });
    const { error } = await wait(id);
    expect(error).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(error)).not.toContain('a bug');
  });

  it('has a deadline if one is set', async () => {
    const id = await start({ to: 9, hang_at: 3, timeout_ms: 300 });
    expect(await wait(id)).toMatchObject({ status: 'FAILED', error: { code: 'timeout' } });
    expect((await get(id)).result?.numbers).toEqual([1, 2]);
  });

  it('that waits for a free place is PENDING, and can be cancelled there', async () => {
    const busy = await Promise.all(Array.from({ length: 16 }, () => start({ to: 2, hang_at: 2 })));
    const next = await call<{ task_id: string; status: string }>('oc_task_start', {
      kind: 'counts',
      args: { to: 1 },
    });
    const last = await call<{ task_id: string; status: string }>('oc_task_start', {
      kind: 'counts',
      args: { to: 1 },
    });
    expect([next.status, last.status]).toEqual(['PENDING', 'PENDING']);
    expect(await call('oc_task_cancel', { task_id: next.task_id })).toMatchObject({
      status: 'CANCELLED',
    });
    await call('oc_task_cancel', { task_id: busy[0] });
    expect(await wait(last.task_id)).toMatchObject({ status: 'COMPLETED' });
    expect((await get(next.task_id)).events_tail.map(({ kind }) => kind)).toEqual(['cancelled']);
  });

  it('continues another task on request', async () => {
    const first = await start({ to: 9, fail_at: 5 });
    await wait(first);
    const { task_id: second } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'counts',
      args: { to: 7 },
      resume_from: first,
    });
    await wait(second);
    expect((await get(second)).result?.numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('writes no secret into its row', async () => {
    const id = await start({ to: 1, password: 'correct horse battery', label: 'x'.repeat(5_000) });
    const { args_summary: summary } = await wait(id);
    expect(JSON.stringify(summary)).not.toContain('correct horse');
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(2048);
    expect(await readFile(join(home, 'tasks', id, 'meta.json'), 'utf8')).not.toContain(
      'correct horse',
    );
  });
});

describe('what cannot be started', () => {
  it.each([
    [
      { kind: 'count' },
      'unknown_task_kind',
      { known: expect.arrayContaining(['counts']) as string[] },
    ],
    [{ kind: 'oc_task_start' }, 'unknown_task_kind', {}],
    [{ kind: 'navigate', args: { url: 'about:blank' } }, 'unknown_task_kind', {}],
    [{ kind: 'counts', args: { to: 'many' } }, 'invalid_argument', { argument: 'to' }],
    [{ kind: 'counts', args: { too: 1 } }, 'invalid_argument', { closest: 'to' }],
    [{ kind: 'counts', resume_from: '0123456789abcdef' }, 'task_not_found', {}],
  ])('%j is refused and leaves no row: %s', async (args, code, data) => {
    expect((await call<Failed>('oc_task_start', args)).error).toMatchObject({ code, ...data });
    expect(await call('oc_task_list')).toMatchObject({ count: 0 });
  });

  it('reports why a task cannot be continued', async () => {
    const running = await start({ to: 2, hang_at: 2 });
    expect(
      (await call<Failed>('oc_task_start', { kind: 'counts', resume_from: running })).error,
    ).toMatchObject({
      argument: 'resume_from',
    });
  });

  it('starts nothing once the engine has ended', async () => {
    await engine.stop();
    expect((await call<Failed>('oc_task_start', { kind: 'counts' })).error.code).toBe(
      'engine_stopped',
    );
  });
});

describe('an id', () => {
  const TOOLS = ['oc_task_get', 'oc_task_cancel', 'oc_task_wait'];
  it.each(TOOLS)(
    'that is invalid is rejected by %s before a path is built from it',
    async (name) => {
      for (const id of [
        '',
        '../../etc/passwd',
        '0123456789ABCDEF',
        '0123456789abcdef0',
        'x'.repeat(10_000),
      ])
        expect((await call<Failed>(name, { task_id: id })).error.code).toBe('invalid_task_id');
    },
  );

  it.each(TOOLS)('that is unknown is reported by %s', async (name) => {
    expect((await call<Failed>(name, { task_id: '0123456789abcdef' })).error.code).toBe(
      'task_not_found',
    );
  });

  it('may be spelled taskId', async () => {
    const id = await start({ to: 1 });
    expect(await call('oc_task_wait', { taskId: id })).toMatchObject({ task_id: id });
    expect(await call('oc_task_get', { taskId: id })).toMatchObject({ meta: { task_id: id } });
    expect(await call('oc_task_cancel', { taskId: id })).toMatchObject({ task_id: id });
  });
});

describe('the list', () => {
  it('is newest first, and knows status, kind, limit and since', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.push(await start({ to: 1, ...(i === 2 ? { fail_at: 1 } : {}) }));
    const ended = await Promise.all(ids.map((id) => wait(id)));
    const listed = async (args: object): Promise<string[]> =>
      (await call<{ tasks: TaskMeta[] }>('oc_task_list', args)).tasks.map(({ task_id: id }) => id);
    expect(await listed({})).toEqual(ids.toReversed());
    expect(await listed({ limit: 2 })).toEqual([ids[4], ids[3]]);
    expect(await listed({ status: 'FAILED' })).toEqual([ids[2]]);
    expect(
      await listed({ status: ['FAILED', 'COMPLETED'], kind: ['counts', 'other'] }),
    ).toHaveLength(5);
    expect(await listed({ kind: 'other' })).toEqual([]);
    expect(await listed({ since: ended[3]?.created_at })).toEqual([ids[4], ids[3]]);
    expect(await listed({ since: new Date(ended[4]?.created_at ?? 0).toISOString() })).toEqual([
      ids[4],
    ]);
    expect((await call<Failed>('oc_task_list', { since: 'yesterday-ish' })).error).toMatchObject({
      code: 'invalid_argument',
      argument: 'since',
    });
  });

  it('shows no results and at most the requested number', async () => {
    await wait(await start({ to: 1 }));
    expect(await call('oc_task_list')).toEqual({
      tasks: [expect.not.objectContaining({ result: expect.anything() as object })],
      count: 1,
    });
  });

  it('passes over rows that cannot be read, counts them, and leaves them as they are', async () => {
    const [torn, whole] = [await start({ to: 1 }), await start({ to: 1 })];
    await Promise.all([wait(torn), wait(whole)]);
    const path = join(home, 'tasks', torn, 'meta.json');
    await writeFile(path, '{"task_id": "0123');
    expect(await call('oc_task_list')).toMatchObject({
      tasks: [{ task_id: whole }],
      count: 1,
      unreadable: 1,
    });
    expect((await call<Failed>('oc_task_get', { task_id: torn })).error).toMatchObject({
      code: 'storage_failed',
      retryable: false,
    });
    expect(await readFile(path, 'utf8')).toBe('{"task_id": "0123');
  });

  it('is there after the engine was stopped and started', async () => {
    const id = await start({ to: 1 });
    await wait(id);
    await engine.stop();
    engine = openEngine();
    expect(await call('oc_task_list')).toMatchObject({
      tasks: [{ task_id: id, status: 'COMPLETED' }],
    });
  });
});

describe('waiting', () => {
  it('times out with a failure that contains the progress of the task', async () => {
    const id = await start({ to: 3, hang_at: 3 });
    await countedTo(id, 2);
    expect(
      (await call<Failed>('oc_task_wait', { task_id: id, timeout_ms: 50 })).error,
    ).toMatchObject({
      code: 'task_wait_timeout',
      retryable: true,
      status: 'RUNNING',
      progress: { done: 2, total: 3 },
    });
  });

  it('reports the progress of the task, with numbers that only increase', async () => {
    const id = await start({ to: 40, unit_ms: 10 });
    const told: { done: number; message?: string }[] = [];
    await engine.call({
      name: 'oc_task_wait',
      arguments: { task_id: id },
      onProgress: (progress) => void told.push(progress),
    });
    expect(told.length).toBeGreaterThan(1);
    expect(told.map(({ done }) => done)).toEqual(
      told.map(({ done }) => done).sort((a, b) => a - b),
    );
    expect(new Set(told.map(({ done }) => done)).size).toBe(told.length);
    expect(told.at(-1)?.message).toMatch(/^counts RUNNING \d+\/40: counted \d+$/);
  });

  it('ends when the client cancels', async () => {
    const id = await start({ to: 2, hang_at: 1 });
    const client = new AbortController();
    const waiting = engine.call({
      name: 'oc_task_wait',
      arguments: { task_id: id },
      signal: client.signal,
    });
    client.abort();
    expect((await waiting).failure?.code).toBe('cancelled');
    expect((await get(id)).meta.status).toBe('RUNNING');
  });
});

describe('a large result', () => {
  it('obeys output_mode', async () => {
    const id = await start({ to: 2_000 });
    await wait(id);
    const handed = await call<{ output_handle: string; size_bytes: number }>('oc_task_get', {
      task_id: id,
      include_result: true,
      output_mode: 'handle',
    });
    expect(handed.output_handle).toMatch(/^oh_/);
    expect(handed).toMatchObject({ item_count: 2_000 });
    const first = await call('oc_output_fetch', { output_handle: handed.output_handle, limit: 1 });
    expect(first).toMatchObject({ content: [1], envelope: { task: { meta: { task_id: id } } } });
    expect(
      await call('oc_output_fetch', {
        output_handle: handed.output_handle,
        query: 'length(numbers)',
      }),
    ).toMatchObject({
      content: [2_000],
    });
  });

  it('is stored by itself if it has more than 100 KB', async () => {
    const id = await start({ to: 30_000 });
    await wait(id);
    const { output_handle } = await call<{ output_handle: string }>('oc_task_get', {
      task_id: id,
      include_result: true,
    });
    expect(await call('oc_output_fetch', { output_handle, query: 'numbers[-1]' })).toMatchObject({
      content: [30_000],
    });
  });

  it('is complete on disk, for any output setting of the server', async () => {
    await engine.stop();
    engine = openEngine(['--output-mode', 'handle']);
    const { task_id: id } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'counts',
      args: { to: 5, output_mode: 'handle' },
    });
    await call('oc_task_wait', { task_id: id });
    expect(JSON.parse(await readFile(join(home, 'tasks', id, 'result.json'), 'utf8'))).toEqual({
      numbers: [1, 2, 3, 4, 5],
      stop_reason: 'done',
    });
  });
});

describe('an engine that is stopped in an orderly way', () => {
  it('ends its tasks as engine_stopped, with their partial results', async () => {
    const id = await start({ to: 3, hang_at: 3 });
    await countedTo(id, 2);
    await engine.stop();
    engine = openEngine();
    const { meta, result } = await get(id);
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'engine_stopped' } });
    expect(result).toEqual({ numbers: [1, 2], stop_reason: 'engine_stopped' });
  });

  it('by oc_stop too, after which new ones can be started', async () => {
    const id = await start({ to: 3, hang_at: 2 });
    expect(await call('oc_stop')).toMatchObject({ endedTasks: 1 });
    expect((await get(id)).meta).toMatchObject({
      status: 'FAILED',
      error: { code: 'engine_stopped' },
    });
    expect(await wait(await start({ to: 1 }))).toMatchObject({ status: 'COMPLETED' });
  });
});
