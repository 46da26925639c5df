// Real servers on a home folder of the test's own, and what a client asks of them.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { TaskEvent, TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import { linesOf } from '../frontends/servers.ts';
import { bundleOnce } from '../bundled-programs.ts';

export interface Failed {
  readonly error: { readonly code: string; readonly message: string } & Record<string, unknown>;
}

export interface Details {
  readonly meta: TaskMeta;
  readonly events_tail: readonly TaskEvent[];
  readonly result?: { readonly numbers: readonly number[]; readonly stop_reason: string };
}

export interface TaskServer {
  readonly process: ChildProcessWithoutNullStreams;
  call<T>(
    name: string,
    args?: object,
    options?: { readonly onProgress?: (progress: object) => void },
  ): Promise<T>;
  request<T>(method: string, params?: object): Promise<T>;
  start(args?: object): Promise<string>;
  get(id: string, args?: object): Promise<Details>;
  wait(id: string, timeoutMs?: number): Promise<TaskMeta>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** Ends it in an orderly way. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** The server as a file that node can run, and a home folder of the test file. */
export const useTaskServers = (): {
  home: () => string;
  startServer: (flags?: readonly string[]) => Promise<TaskServer>;
  file: () => string;
} => {
  let folder = '';
  let home = '';
  let file = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-tasks-'));
    home = join(folder, 'home');
    file = await bundleOnce('tests/tasks/task-server.ts');
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    home: () => home,
    file: () => file,
    startServer: (flags) => startServer(file, home, flags),
  };
};

const startServer = async (
  file: string,
  home: string,
  flags: readonly string[] = [],
): Promise<TaskServer> => {
  const server = spawn(process.execPath, [file, ...flags], {
    stdio: 'pipe',
    env: { ...process.env, OPENCHROME_HOME: home },
  });
  const gone = once(server, 'close');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await gone;
  });
  const { request } = talkTo(server);
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  const call = async <T>(
    name: string,
    args: object = {},
    { onProgress }: { onProgress?: (progress: object) => void } = {},
  ): Promise<T> => {
    const { content } = await request<{ content: { text: string }[] }>(
      'tools/call',
      { name, arguments: args },
      onProgress,
    );
    return JSON.parse(content[0]?.text ?? 'null') as T;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    await gone;
  };
  return {
    process: server,
    call,
    request,
    start: async (args = {}) =>
      (await call<{ task_id: string }>('oc_task_start', { kind: 'counts', args })).task_id,
    get: (id, args = {}) => call('oc_task_get', { task_id: id, ...args }),
    wait: (id, timeoutMs = 30_000) => call('oc_task_wait', { task_id: id, timeout_ms: timeoutMs }),
    kill: () => end('SIGKILL'),
    stop: (signal = 'SIGTERM') => end(signal),
  };
};

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly params?: { readonly progressToken?: number };
}

/** Many requests at a time on one pipe. */
const talkTo = (
  server: ChildProcessWithoutNullStreams,
): {
  request: <T>(
    method: string,
    params?: object,
    onProgress?: (progress: object) => void,
  ) => Promise<T>;
} => {
  const waiting = new Map<number, (message: Message) => void>();
  const following = new Map<number, (progress: object) => void>();
  const lines = linesOf(server);
  const read = async (): Promise<void> => {
    for (;;) {
      const message = (await lines.next()) as Message;
      if (message.id === undefined)
        following.get(message.params?.progressToken ?? -1)?.(message.params ?? {});
      else waiting.get(message.id)?.(message);
    }
  };
  void read();
  let last = 0;
  return {
    request: <T>(method: string, params: object = {}, onProgress?: (progress: object) => void) =>
      new Promise<T>((resolve, reject) => {
        const id = ++last;
        if (onProgress) following.set(id, onProgress);
        const _meta = onProgress ? { _meta: { progressToken: id } } : {};
        waiting.set(id, ({ result, error }) =>
          error ? reject(new Error(error.message)) : resolve(result as T),
        );
        server.stdin.write(
          `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ..._meta } })}\n`,
        );
      }),
  };
};
