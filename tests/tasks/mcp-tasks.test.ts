// MCP's own tasks (the io.modelcontextprotocol/tasks extension) are rows of the same ledger, over
// stdio and HTTP.
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { linesOf, startHttp } from '../frontends/servers.ts';
import { useTaskServers } from './task-servers.ts';

const { home, file } = useTaskServers();

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
type Send = (
  method: string,
  params: Record<string, unknown>,
  capabilities?: object,
) => Promise<Answer>;

const FOLLOWS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const withMeta = (params: Record<string, unknown>, clientCapabilities: object): object => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
  },
});

const overStdio = async (): Promise<Send> => {
  const server = spawn(process.execPath, [file()], {
    stdio: 'pipe',
    env: { ...process.env, OPENCHROME_HOME: home() },
  });
  const gone = once(server, 'close');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await gone;
  });
  const lines = linesOf(server);
  let id = 0;
  return async (method, params, capabilities = FOLLOWS) => {
    server.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: withMeta(params, capabilities) })}\n`,
    );
    return lines.next();
  };
};

const overHttp = async (): Promise<Send> => {
  process.env['OPENCHROME_HOME'] = home();
  const { url } = await startHttp(file());
  delete process.env['OPENCHROME_HOME'];
  let id = 0;
  return async (method, params, capabilities = FOLLOWS) => {
    const name = params['name'] ?? params['taskId'];
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        method,
        params: withMeta(params, capabilities),
      }),
    });
    const body = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) as Answer;
  };
};

const ended = async (send: Send, taskId: unknown): Promise<Record<string, unknown>> => {
  let last: Record<string, unknown> = {};
  await expect
    .poll(async () => (last = (await send('tasks/get', { taskId })).result ?? {})['status'], {
      timeout: 10_000,
    })
    .not.toBe('working');
  return last;
};

beforeEach(() => rm(home(), { recursive: true, force: true, maxRetries: 5 }));

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('over %s', (_, connect) => {
  it('the server declares tasks', async () => {
    const send = await connect();
    expect((await send('server/discover', {})).result).toMatchObject({
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
  });

  it('a long-running tool becomes a task, and its result is the one of the direct call', async () => {
    const send = await connect();
    const { result: task } = await send('tools/call', { name: 'counts', arguments: { to: 3 } });
    expect(task).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: expect.any(Number) as number,
      pollIntervalMs: 1000,
    });
    expect(task?.['taskId']).toMatch(/^[0-9a-f]{16}$/);
    const done = await ended(send, task?.['taskId']);
    expect(done).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      createdAt: task?.['createdAt'],
    });
    const direct = await send('tools/call', { name: 'counts', arguments: { to: 3 } }, {});
    expect((done['result'] as { content: unknown[] }).content[0]).toEqual(
      (direct.result as { content: unknown[] }).content[0],
    );
    const listed = await send('tools/call', { name: 'oc_task_list', arguments: {} });
    expect((listed.result as { content: { text: string }[] }).content[0]?.text).toContain(
      String(task?.['taskId']),
    );
  });

  it('a task is cancelled, and what failed is a completed one whose result is an error', async () => {
    const send = await connect();
    const { result: hanging } = await send('tools/call', {
      name: 'counts',
      arguments: { to: 3, hang_at: 2 },
    });
    expect((await send('tasks/cancel', { taskId: hanging?.['taskId'] })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await ended(send, hanging?.['taskId']))['status']).toBe('cancelled');
    const { result: failing } = await send('tools/call', {
      name: 'counts',
      arguments: { to: 3, fail_at: 2 },
    });
    expect(await ended(send, failing?.['taskId'])).toMatchObject({
      status: 'completed',
      result: { isError: true },
    });
  });

  it('an envelope is polled like any other task, and calls within it stay ordinary calls', async () => {
    const send = await connect();
    const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
      const { content } = (await send('tools/call', { name, arguments: args })).result as {
        content: { text: string }[];
      };
      return JSON.parse(content[0]?.text ?? 'null') as Record<string, unknown>;
    };
    const { task_id: taskId } = await call('oc_task_start', { objective: 'count' });
    expect((await send('tasks/get', { taskId })).result).toMatchObject({
      taskId,
      status: 'working',
      statusMessage: 'browser_task RUNNING',
    });
    const { result: job } = await send('tools/call', {
      name: 'counts',
      arguments: { to: 3, taskId },
    });
    expect((await ended(send, job?.['taskId']))['status']).toBe('completed');
    await expect
      .poll(async () => (await call('oc_task_get', { task_id: taskId }))['counters'])
      .toMatchObject({ toolCalls: 1 });
    await call('oc_task_finish', { task_id: taskId, outcome: 'completed' });
    expect((await send('tasks/get', { taskId })).result).toMatchObject({
      taskId,
      status: 'completed',
      result: { content: [{ text: 'null' }] },
    });
    const { task_id: other } = await call('oc_task_start', { objective: 'count' });
    expect((await send('tasks/cancel', { taskId: other })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await send('tasks/get', { taskId: other })).result).toMatchObject({
      status: 'cancelled',
    });
  });

  it('an invalid call is rejected at once, without a task', async () => {
    const send = await connect();
    const { result } = await send('tools/call', { name: 'counts', arguments: { to: 'many' } });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain('invalid_argument');
  });

  it('short tools, and clients that do not follow tasks, get their result as ever', async () => {
    const send = await connect();
    expect(
      (await send('tools/call', { name: 'oc_task_list', arguments: {} })).result,
    ).toMatchObject({ resultType: 'complete' });
    expect(
      (await send('tools/call', { name: 'counts', arguments: { to: 1 } }, {})).result,
    ).toMatchObject({ resultType: 'complete' });
    expect((await send('tasks/get', { taskId: '0123456789abcdef' }, {})).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: FOLLOWS },
    });
  });

  it.each(['tasks/get', 'tasks/cancel', 'tasks/update'])(
    '%s of an unknown task is an invalid parameter',
    async (method) => {
      const send = await connect();
      expect(
        (await send(method, { taskId: '0123456789abcdef', inputResponses: {} })).error,
      ).toMatchObject({
        code: -32602,
        data: { code: 'task_not_found' },
      });
      expect((await send(method, { taskId: '../..', inputResponses: {} })).error).toMatchObject({
        code: -32602,
        data: { code: 'invalid_task_id' },
      });
    },
  );
});
