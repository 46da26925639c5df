// `openchrome serve --shared`: several hosts on one daemon and one Chrome, each with tabs of its
// own for as long as it is there.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DaemonNote } from '../../src/store/config/daemon-file.ts';
import { alive, linesOf, makeDaemonHome } from './servers.ts';

const BINARY =
  process.env['OPENCHROME_BINARY'] ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));

interface Answer {
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly [key: string]: unknown;
  };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

interface Host {
  readonly pid: number;
  request(method: string, params?: object): Promise<Answer>;
  /** The JSON of a call that must succeed. */
  json<T = Record<string, unknown>>(name: string, args?: object): Promise<T>;
  /** The failure of a call that must fail. */
  failure(name: string, args?: object): Promise<Record<string, unknown>>;
  /** Closes stdin, as hosts do, and returns the exit status. */
  leave(): Promise<number | null>;
  kill(): Promise<number | null>;
  send(message: object): void;
  readonly notifications: readonly Record<string, unknown>[];
}

const startHost = (home: string, flags: readonly string[] = []): Host => {
  const env = { ...process.env, OPENCHROME_HOME: home, OPENCHROME_HEADLESS: '1' };
  const child = spawn(
    process.execPath,
    [BINARY, 'serve', '--shared', '--log-level', 'error', ...flags],
    { stdio: 'pipe', env },
  );
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  const notifications: Record<string, unknown>[] = [];
  const lines = linesOf(child);
  const read = async (): Promise<void> => {
    for (;;) {
      const message = await lines.next();
      if (typeof message['id'] === 'number') waiting.get(message['id'])?.(message);
      else notifications.push(message);
    }
  };
  void read();
  let id = 0;
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object = {}): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      send({ id, method, params });
    });
  const call = async (name: string, args: object): Promise<NonNullable<Answer['result']>> => {
    const { result, error } = await request('tools/call', { name, arguments: args });
    if (!result) throw new Error(`${name}: ${error?.message}`);
    return result;
  };
  const parsed = (text: string | undefined): Record<string, unknown> =>
    JSON.parse(text ?? '') as Record<string, unknown>;
  return {
    pid: child.pid ?? 0,
    request,
    send,
    notifications,
    json: async <T>(name: string, args: object = {}) => {
      const { content, isError } = await call(name, args);
      if (isError) throw new Error(`${name}: ${content[0]?.text}`);
      return parsed(content[0]?.text) as T;
    },
    failure: async (name, args = {}) => {
      const { content, isError } = await call(name, args);
      if (!isError) throw new Error(`${name} succeeded: ${content[0]?.text}`);
      return parsed(content[0]?.text)['error'] as Record<string, unknown>;
    },
    leave: () => {
      child.stdin.end();
      return exited;
    },
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
};

interface Health {
  readonly chrome: { readonly pid: number };
  readonly server: { readonly pid: number };
  readonly sessions: readonly string[];
  readonly tabs: number;
}

interface Tabs {
  readonly session: string;
  readonly tabs: readonly { readonly tabId: string }[];
}

const noteOf = async (home: string): Promise<DaemonNote> =>
  JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as DaemonNote;

/** A page that never loads, and the time of its request. */
const useHangingPage = async (): Promise<{ url: string; asked: Promise<unknown> }> => {
  const open: ServerResponse[] = [];
  let tell = (): void => {};
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const server = createServer((_, response) => {
    open.push(response);
    tell();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
};

/** The home of the cases that do not need a daemon of their own. */
let shared = '';
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  shared = await makeDaemonHome((end) => ends.push(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});

describe('two hosts', () => {
  it('share one daemon and one Chrome, and see only their own tabs', async () => {
    const home = shared;
    const [one, two] = [startHost(home), startHost(home)];
    const [first, second] = await Promise.all(
      [one, two].map((host) => host.json<{ tabId: string }>('tabs', { action: 'new' })),
    );
    const [mine, theirs] = await Promise.all([
      one.json<Tabs>('tabs_context'),
      two.json<Tabs>('tabs_context'),
    ]);
    expect(mine.tabs.map(({ tabId }) => tabId)).toEqual([first?.tabId]);
    expect(theirs.tabs.map(({ tabId }) => tabId)).toEqual([second?.tabId]);
    expect(mine.session).not.toBe(theirs.session);
    expect(await one.failure('read_page', { tabId: second?.tabId })).toMatchObject({
      code: 'tab_not_found',
    });
    const [a, b] = [
      await one.json<Health>('oc_connection_health'),
      await two.json<Health>('oc_connection_health'),
    ];
    expect([a.server.pid, a.chrome.pid]).toEqual([b.server.pid, b.chrome.pid]);
    expect(a.server.pid).toBe((await noteOf(home)).pid);
  });

  it('own their tabs: they are closed when a host exits in any way, and the other continues', async () => {
    const home = await makeDaemonHome();
    const [stays, leaves, dies] = [startHost(home), startHost(home), startHost(home)];
    for (const host of [stays, leaves, dies]) await host.json('tabs', { action: 'new' });
    expect(await stays.json<Health>('oc_connection_health')).toMatchObject({ tabs: 3 });
    expect(await leaves.leave()).toBe(0);
    await dies.kill();
    await expect
      .poll(() => stays.json<Health>('oc_connection_health'), { timeout: 10_000 })
      .toMatchObject({ sessions: { length: 1 }, tabs: 1 });
    expect((await stays.json<Tabs>('tabs_context')).tabs).toHaveLength(1);
  });

  it('do not end Chrome for each other: oc_stop ends only its own tabs and names the others, unless it is forced', async () => {
    const home = await makeDaemonHome();
    const [one, two] = [startHost(home), startHost(home)];
    const { url } = await useHangingPage();
    for (const host of [one, two]) await host.json('tabs', { action: 'new' });
    const { task_id: mine } = await one.json<{ task_id: string }>('oc_task_start', {
      kind: 'crawl',
      args: { url },
    });
    const { task_id: theirs } = await two.json<{ task_id: string }>('oc_task_start', {
      kind: 'crawl',
      args: { url },
    });
    const statusOf = async (task_id: string): Promise<string> =>
      (await two.json<{ meta: { status: string } }>('oc_task_get', { task_id })).meta.status;

    expect(await one.json('oc_stop')).toEqual({
      stopped: false,
      closedTabs: 1,
      endedTasks: 1,
      inUse: { sessions: expect.any(Number), tabs: expect.any(Number), tasks: 1 },
    });
    expect((await one.json<Tabs>('tabs_context')).tabs).toEqual([]);
    expect((await two.json<Tabs>('tabs_context')).tabs).toHaveLength(1);
    expect([await statusOf(mine), await statusOf(theirs)]).toEqual(['FAILED', 'RUNNING']);

    expect(await one.json('oc_stop', { force: true })).toEqual({ stopped: true, endedTasks: 1 });
    expect((await two.json<Tabs>('tabs_context')).tabs).toEqual([]);
    expect(await two.json('tabs', { action: 'new' })).toMatchObject({ url: 'about:blank' });
    expect(await two.json('oc_stop')).toEqual({ stopped: true }); // no other client has a tab
  });

  it('list the tools each in its own way', async () => {
    const home = shared;
    const [plain, slim, all] = [
      startHost(home),
      startHost(home, ['--slim']),
      startHost(home, ['--all-tools']),
    ];
    const count = async (host: Host): Promise<number> => {
      const { result } = await host.request('tools/list');
      return (result as unknown as { tools: unknown[] }).tools.length;
    };
    const [some, few, most] = [await count(plain), await count(slim), await count(all)];
    expect(few).toBeLessThan(some);
    expect(most).toBeGreaterThan(some);
  });
});

describe('a host', () => {
  it('keeps the daemon from ending for lack of work, until it leaves', async () => {
    const home = await makeDaemonHome();
    const host = startHost(home, ['--daemon-idle-seconds', '0.5']);
    await host.json('tabs_context');
    const { pid } = await noteOf(home);
    const slow = await host.failure('oc_task_wait', {
      task_id: '0000000000000000',
      timeout_ms: 1000,
    }); // nothing that counts as work
    expect(slow['code']).toBe('task_not_found');
    const { url } = await useHangingPage();
    expect(await host.failure('navigate', { url, timeout_ms: 1500 })).toMatchObject({
      code: 'timeout',
    });
    expect(alive(pid)).toBe(true);
    await host.leave();
    await expect.poll(() => alive(pid), { timeout: 10_000 }).toBe(false);
  });

  it('gets a structured failure when the daemon dies during its call, and the next call is served by a new one', async () => {
    const home = shared;
    const host = startHost(home);
    const { url, asked } = await useHangingPage();
    const call = host.failure('navigate', { url });
    await asked;
    const { pid } = await noteOf(home);
    process.kill(pid, 'SIGKILL');
    expect(await call).toMatchObject({
      code: 'daemon_lost',
      retryable: false,
      hint: expect.stringContaining('Look at the page before you repeat'),
    });
    expect(await host.json('tabs', { action: 'new' })).toMatchObject({ url: 'about:blank' });
    expect((await noteOf(home)).pid).not.toBe(pid);
  });

  it('continues with a new daemon if the old one was killed between two calls', async () => {
    const home = shared;
    const host = startHost(home);
    await host.json('tabs_context');
    const { pid } = await noteOf(home);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => alive(pid)).toBe(false);
    // A call that was already sent to the dead daemon fails and is never sent twice; the next call
    // succeeds.
    await host
      .json<Tabs>('tabs_context')
      .catch((error: unknown) => expect(String(error)).toContain('daemon_lost'));
    expect(await host.json<Tabs>('tabs_context')).toMatchObject({ tabs: [] });
    expect((await noteOf(home)).pid).not.toBe(pid);
  });

  it('does not notice a daemon that is ending: rejected calls are sent to the next one', async () => {
    const home = await makeDaemonHome();
    const host = startHost(home);
    await host.json('tabs', { action: 'new' });
    const { pid, port, token } = await noteOf(home);
    const { chrome } = await host.json<Health>('oc_connection_health');
    process.kill(chrome.pid, 'SIGSTOP'); // a Chrome that takes its time to end
    const ended = fetch(`http://127.0.0.1:${port}/daemon/stop`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    const log = (): Promise<string> => readFile(join(home, 'daemon.log'), 'utf8');
    await expect.poll(log, { interval: 10 }).toContain('daemon ends');
    expect(alive(pid)).toBe(true);
    const answer = host.json<Tabs>('tabs_context');
    // the host was rejected, and waits for the end of the daemon
    await expect.poll(() => existsSync(join(home, 'daemon.json.lock'))).toBe(true);
    process.kill(chrome.pid, 'SIGCONT');
    expect(await answer).toMatchObject({ tabs: [] });
    await ended;
    expect((await noteOf(home)).pid).not.toBe(pid);
  });

  it('cancels a call in the daemon', async () => {
    const home = shared;
    const host = startHost(home);
    const { url, asked } = await useHangingPage();
    host.send({
      id: 'mine',
      method: 'tools/call',
      params: { name: 'navigate', arguments: { url, timeout_ms: 60_000 } },
    });
    await asked;
    host.send({ method: 'notifications/cancelled', params: { requestId: 'mine' } });
    const cancelled = async (): Promise<string> =>
      JSON.stringify(await host.json('oc_journal', { count: 20 }));
    await expect.poll(cancelled, { timeout: 10_000 }).toContain('cancelled');
  });

  it('follows background work with the tasks extension', async () => {
    const home = shared;
    const host = startHost(home);
    const { url } = await useHangingPage();
    const _meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const { result } = await host.request('tools/call', {
      name: 'crawl',
      arguments: { url, max_pages: 1 },
      _meta,
    });
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const taskId = result?.['taskId'];
    expect((await host.request('tasks/get', { taskId, _meta })).result).toMatchObject({
      taskId,
      status: 'working',
    });
    expect((await host.request('tasks/get', { taskId })).error).toMatchObject({ code: -32021 });
    await host.request('tasks/cancel', { taskId, _meta });
    await expect
      .poll(async () => (await host.request('tasks/get', { taskId, _meta })).result?.['status'], {
        timeout: 10_000,
      })
      .toBe('cancelled');
  });

  it('gets a failure with the original reason for every request if the daemon cannot be started', async () => {
    const home = await makeDaemonHome();
    const host = startHost(home, ['--secrets', join(home, 'missing.env')]);
    expect(
      (await host.request('initialize', { protocolVersion: '2025-11-25' })).result,
    ).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(await host.failure('tabs_context')).toMatchObject({
      message: expect.stringContaining('missing.env'),
    });
    expect((await host.request('tools/list')).error).toMatchObject({
      message: expect.stringContaining('missing.env'),
    });
  });

  it('gets a failure instead of service without its domain limits if the daemon runs with others', async () => {
    const home = shared;
    const plain = startHost(home);
    await plain.json('tabs_context');
    const limited = startHost(home, ['--allow-domains', 'example.com']);
    const mismatch = { code: 'daemon_settings_mismatch', settings: ['--allow-domains'] };
    expect(await limited.failure('tabs_context')).toMatchObject(mismatch);
    expect((await limited.request('tools/list')).error?.data).toMatchObject(mismatch);
  });

  it('cannot serve HTTP as well', async () => {
    const home = shared;
    const child = spawn(process.execPath, [BINARY, 'serve', '--shared', '--http', '0'], {
      env: { ...process.env, OPENCHROME_HOME: home },
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await new Promise((resolve) => void child.once('close', resolve))).toBe(2);
    expect(stderr).toContain('invalid_argument');
  });
});

it('A host is notified of changes of a task and of the recipes', async () => {
  const home = shared;
  const host = startHost(home);
  await host.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  const { task_id: id } = await host.json<{ task_id: string }>('oc_task_start', {
    objective: 'order',
  });
  const uri = `openchrome://task/${id}`;
  expect(await host.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
  await host.json('oc_task_finish', { task_id: id, outcome: 'completed' });
  await expect
    .poll(() => host.notifications, { timeout: 10_000 })
    .toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri },
    });
  const { result } = await host.request('resources/read', { uri });
  expect(JSON.stringify(result)).toContain('COMPLETED');
  expect(await host.request('prompts/list')).toMatchObject({ result: { prompts: [] } });
  await host.json('oc_recipe', {
    source: 'name: visit\nsite: example.com\nsteps: [{ open: "https://example.com/" }]',
  });
  await expect
    .poll(() => host.notifications.map(({ method }) => method), { timeout: 10_000 })
    .toContain('notifications/prompts/list_changed');
  expect(await host.request('prompts/list')).toMatchObject({
    result: { prompts: [{ name: 'visit' }] },
  });
});
