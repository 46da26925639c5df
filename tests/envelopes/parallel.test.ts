// Many calls on one task at the same time, through one server and through several: none is lost,
// none is counted twice.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startHttp } from '../frontends/servers.ts';
import { type TaskServer, useTaskServers } from '../tasks/task-servers.ts';
import type { VisibilityCache } from './envelopes.ts';

const { home, file, startServer } = useTaskServers();

beforeEach(() => rm(home(), { recursive: true, force: true, maxRetries: 5 }));

const FREE = {
  maxConsecutiveSameTool: 10_000,
  maxObservationStreak: 10_000,
  maxFailureStreak: 10_000,
};
const get = async (server: TaskServer, id: string): Promise<VisibilityCache> =>
  server.call<VisibilityCache>('oc_task_get', { task_id: id });
const open = async (server: TaskServer, policy: object = {}): Promise<string> =>
  (
    await server.call<{ task_id: string }>('oc_task_start', {
      objective: 'count',
      policy: { ...FREE, ...policy },
    })
  ).task_id;

/** The tool calls in the history on disk. */
const callsOnDisk = async (id: string): Promise<number> => {
  const lines = (await readFile(join(home(), 'tasks', id, 'events.jsonl'), 'utf8'))
    .trim()
    .split('\n');
  return lines.filter((line) => (JSON.parse(line) as { kind: string }).kind === 'tool_call').length;
};

describe('one task', () => {
  it('counts 500 calls of 8 parallel clients over HTTP', async () => {
    const before = process.env['OPENCHROME_HOME'];
    process.env['OPENCHROME_HOME'] = home();
    onTestFinished(() => {
      if (before === undefined) delete process.env['OPENCHROME_HOME'];
      else process.env['OPENCHROME_HOME'] = before;
    });
    const { url } = await startHttp(file(), ['--log-level', 'error']);
    const call = async <T>(name: string, args: object): Promise<T> => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      });
      const { result } = (await (await fetch(`${url}/mcp`, { method: 'POST', body })).json()) as {
        result: { content: { text: string }[] };
      };
      return JSON.parse(result.content[0]?.text ?? 'null') as T;
    };
    const { task_id: id } = await call<{ task_id: string }>('oc_task_start', {
      objective: 'count',
      policy: FREE,
    });
    let left = 500;
    const client = async (): Promise<void> => {
      while (left > 0) {
        const n = left--;
        // Some look, some act, some fail.
        if (n % 5 === 0) await call('counts', { to: 3, fail_at: 2, taskId: id });
        else if (n % 2 === 0) await call('expand_tools', { query: 'tabs', taskId: id });
        else await call('oc_connection_health', { taskId: id });
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    const { counters, reply_tokens: tokens } = await call<VisibilityCache>('oc_task_get', {
      task_id: id,
    });
    expect(counters).toMatchObject({
      toolCalls: 500,
      failureCalls: 100,
      actionCalls: 200,
      observationCalls: 300,
    });
    expect(Object.keys(tokens.perTool).sort()).toEqual([
      'counts',
      'expand_tools',
      'oc_connection_health',
    ]);
    expect(await callsOnDisk(id)).toBe(500);
  });

  it('counts 200 calls through two processes on one home, and both report the same', async () => {
    const servers = [await startServer(), await startServer()] as const;
    const id = await open(servers[0]);
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 ? servers[0] : servers[1]).call('expand_tools', { query: 'tabs', taskId: id }),
      ),
    );
    const [first, second] = await Promise.all(servers.map((server) => get(server, id)));
    expect(first?.counters).toMatchObject({
      toolCalls: 200,
      observationStreak: 200,
      consecutiveSameTool: 200,
    });
    expect(second).toEqual(first);
    const row = JSON.parse(
      await readFile(join(home(), 'tasks', id, 'meta.json'), 'utf8'),
    ) as VisibilityCache;
    expect(row.counters.toolCalls % 100).toBe(0);
    expect(await readdir(join(home(), 'tasks', id))).toEqual(['events.jsonl', 'meta.json']);
  });

  it('reports a budget once, for any process that exceeds it', async () => {
    const servers = [await startServer(), await startServer()] as const;
    const id = await open(servers[0], { maxToolCalls: 40 });
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? servers[0] : servers[1]).request<{ content: { text: string }[] }>('tools/call', {
          name: 'oc_connection_health',
          arguments: { taskId: id },
        }),
      ),
    );
    const notes = replies
      .flatMap(({ content }) => content.slice(1).map(({ text }) => text))
      .filter((note) => note.startsWith('[task '));
    expect(notes.sort()).toEqual([
      `[task ${id}: tool calls 30/40, checkpoint or verify]`,
      `[task ${id}: tool calls 41/40, change strategy or verify]`,
    ]);
  });

  it('runs no call more than it allows, through two processes', async () => {
    const servers = [await startServer(), await startServer()] as const;
    const id = await open(servers[0], { maxToolCalls: 25, enforce: true });
    const replies = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        (i % 2 ? servers[0] : servers[1]).call<{ error?: { code: string } }>('counts', {
          to: 1,
          unit_ms: 5,
          taskId: id,
        }),
      ),
    );
    expect(replies.filter(({ error }) => error === undefined)).toHaveLength(25);
    expect(replies.filter(({ error }) => error?.code === 'budget_exceeded')).toHaveLength(55);
    expect((await get(servers[1], id)).counters.toolCalls).toBe(25);
  });
});

describe('a server that is killed', () => {
  it('leaves an envelope that runs on, with every call that was answered', async () => {
    const first = await startServer();
    const id = await open(first);
    let answered = 0;
    const calls = Array.from({ length: 150 }, () =>
      first.call('expand_tools', { query: 'tabs', taskId: id }).then(() => answered++),
    );
    void Promise.allSettled(calls); // those on the way when it is killed are never answered
    await expect.poll(() => answered, { interval: 1, timeout: 10_000 }).toBeGreaterThan(20);
    await first.kill();
    const second = await startServer();
    const { meta, counters } = await get(second, id);
    expect(meta).toMatchObject({ status: 'RUNNING' });
    expect(meta).not.toHaveProperty('error');
    expect(counters.toolCalls).toBeGreaterThanOrEqual(answered);
    expect(counters.toolCalls).toBe(await callsOnDisk(id));
    await second.call('oc_connection_health', { taskId: id });
    expect((await get(second, id)).counters.toolCalls).toBe(counters.toolCalls + 1);
  });

  it('is followed by one in which the task can be finished, and a third hears of it', async () => {
    const first = await startServer();
    const id = await open(first);
    await first.kill();
    const [second, third] = [await startServer(), await startServer()];
    const waiting = third.wait(id);
    expect(
      (await third.call<{ error?: object }>('oc_task_wait', { task_id: id, timeout_ms: 50 })).error,
    ).toMatchObject({
      code: 'task_wait_timeout',
    });
    await second.call('oc_task_finish', { task_id: id, outcome: 'completed' });
    expect(await waiting).toMatchObject({ status: 'COMPLETED', phase: 'done' });
    expect(Date.now() - ((await waiting).ended_at ?? 0)).toBeLessThan(2_000);
  });
});

describe('a server that is stopped', () => {
  it('leaves envelopes as they are', async () => {
    const first = await startServer();
    const id = await open(first);
    await first.call('oc_connection_health', { taskId: id });
    await first.stop();
    const { meta, counters } = await get(await startServer(), id);
    expect([meta.status, counters.toolCalls]).toEqual(['RUNNING', 1]);
  });
});
