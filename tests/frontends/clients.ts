// The ways in which a client can reach a server, all behind one small interface: every case runs
// over each of them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/core/config.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { serveStdio } from '../../src/frontends/mcp/stdio.ts';
import { makeDaemonHome, startHttp, type OnEnd, type ServerFile } from './servers.ts';

export interface ToolResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export interface TestClient {
  about(): Promise<{
    readonly name: string;
    readonly version: string;
    readonly instructions: string;
  }>;
  listTools(): Promise<readonly Record<string, unknown>[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  listResources(): Promise<readonly Record<string, unknown>[]>;
  readResource(uri: string): Promise<readonly Record<string, unknown>[]>;
}

export interface Way {
  readonly title: string;
  /** A bare request has nowhere to put progress. */
  readonly tellsProgress: boolean;
  readonly connect: (flags?: readonly string[], onEnd?: OnEnd) => Promise<TestClient>;
}

/** Every way to a server that is a process, whatever engine is in it. */
export const waysTo = (file: () => Promise<ServerFile>): Way[] => [
  ...['2025-06-18', '2025-11-25', '2026-07-28'].flatMap((version) => [
    overStdio(version, file),
    overHttp(version, file),
  ]),
  ...['2025-11-25', '2026-07-28'].map((version) => throughDaemon(version, file)),
  {
    title: 'HTTP, one bare POST per request',
    tellsProgress: false,
    connect: async (flags = [], onEnd = onTestFinished) =>
      bareClient((await startHttp(await file(), flags, onEnd)).url),
  },
];

const overStdio = (version: string, file: () => Promise<ServerFile>): Way => ({
  title: `stdio, ${version}`,
  tellsProgress: true,
  connect: async (flags = [], onEnd = onTestFinished) =>
    sdkClient(
      version,
      new StdioClientTransport({
        command: process.execPath,
        args: [await file(), ...flags],
        env: environment(),
        stderr: 'ignore',
      }),
      onEnd,
    ),
});

/** A host of `--shared`, with a home and so a daemon of its own. */
const throughDaemon = (version: string, file: () => Promise<ServerFile>): Way => ({
  title: `stdio through the daemon, ${version}`,
  tellsProgress: true,
  connect: async (flags = [], onEnd = onTestFinished) => {
    const home = await makeDaemonHome(onEnd);
    const env = { ...environment(), OPENCHROME_HOME: home };
    const args = [await file(), '--shared', ...flags];
    return sdkClient(
      version,
      new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }),
      onEnd,
    );
  },
});

/** All of it: by itself the client's transport hands on only what it deems safe. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

const overHttp = (version: string, file: () => Promise<ServerFile>): Way => ({
  title: `HTTP, ${version}`,
  tellsProgress: true,
  connect: async (flags = [], onEnd = onTestFinished) => {
    const { url } = await startHttp(await file(), flags, onEnd);
    return sdkClient(version, new StreamableHTTPClientTransport(new URL('/mcp', url)), onEnd);
  },
});

/** Every way to an engine in this very process. */
export const waysInto = (createEngine: (config: Config) => Engine): Way[] =>
  ['2025-11-25', '2026-07-28'].map((version) => ({
    title: `in process, ${version}`,
    tellsProgress: true,
    connect: async (flags = [], onEnd = onTestFinished) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const served = serveStdio(createEngine(resolveConfig({ flags })), { input, output });
      onEnd(async () => {
        input.end();
        await served;
      });
      return sdkClient(version, overStreams(output, input), onEnd);
    },
  }));

const sdkClient = async (
  version: string,
  transport: Transport,
  onEnd: OnEnd,
): Promise<TestClient> => {
  const client = new Client(
    { name: 'test', version: '1' },
    version >= '2026'
      ? { versionNegotiation: { mode: { pin: version } } }
      : { supportedProtocolVersions: [version] },
  );
  onEnd(() => client.close());
  await client.connect(transport);
  return {
    about: async () => ({
      name: client.getServerVersion()?.name ?? '',
      version: client.getServerVersion()?.version ?? '',
      instructions: client.getInstructions() ?? '',
    }),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, { signal, onProgress } = {}) => {
      const options = {
        ...(signal ? { signal } : {}),
        ...(onProgress ? { onprogress: onProgress as never } : {}),
      };
      // From 2026 on a server signs every result in its _meta.
      const { _meta, ...result } = await client.callTool({ name, arguments: args }, options);
      return result as ToolResult;
    },
    listResources: async () => (await client.listResources()).resources,
    readResource: async (uri) => (await client.readResource({ uri })).contents,
  };
};

const bareClient = (url: string): TestClient => {
  const request = async <T>(method: string, params?: object, signal?: AbortSignal): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) });
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      body,
      ...(signal ? { signal } : {}),
    });
    const answer = (await response.json()) as { result?: T; error?: { message: string } };
    if (!answer.result) throw new Error(answer.error?.message);
    return answer.result;
  };
  return {
    about: async () => {
      const answer = await request<{
        serverInfo: { name: string; version: string };
        instructions: string;
      }>('initialize', {});
      return { ...answer.serverInfo, instructions: answer.instructions };
    },
    listTools: async () =>
      (await request<{ tools: Record<string, unknown>[] }>('tools/list')).tools,
    call: (name, args = {}, { signal } = {}) =>
      request('tools/call', { name, arguments: args }, signal),
    listResources: async () =>
      (await request<{ resources: Record<string, unknown>[] }>('resources/list')).resources,
    readResource: async (uri) =>
      (await request<{ contents: Record<string, unknown>[] }>('resources/read', { uri })).contents,
  };
};

/** A client's transport over two streams, one message per line. */
export const overStreams = (from: PassThrough, to: PassThrough): Transport => {
  let rest = '';
  const transport: Transport = {
    start: async () => {
      from.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as never);
      });
    },
    send: async (message) => void to.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      to.end();
      transport.onclose?.();
    },
  };
  return transport;
};

/**
 * The command line: every call is a process of its own, all of them share the daemon of one home.
 */
export const overCli = (file: () => Promise<ServerFile>): Way => ({
  title: 'the command line',
  tellsProgress: false,
  connect: async (flags = [], onEnd = onTestFinished) => {
    const env = { ...environment(), OPENCHROME_HOME: await makeDaemonHome(onEnd) };
    const binary = await file();
    const run = (args: readonly string[], input = ''): Promise<CliRun> =>
      runCommand(binary, args, { env, input });
    const call: TestClient['call'] = async (name, args = {}) =>
      resultOf(await run(['call', name, '--args', '-', '--json', ...flags], JSON.stringify(args)));
    const described = async (args: Record<string, unknown>): Promise<Record<string, unknown>[]> => {
      const { content } = await call('expand_tools', args);
      return (JSON.parse(content[0]?.text ?? '') as { tools: Record<string, unknown>[] }).tools;
    };
    return {
      about: async () => ({
        name: 'openchrome',
        version: (await run(['version'])).stdout.trim(),
        instructions: (await run(['--help'])).stdout,
      }),
      listTools: async () =>
        described({ names: (await described({})).map(({ name }) => name).slice(0, 50) }),
      call,
      listResources: async () => [],
      readResource: async () => [],
    };
  },
});

interface CliRun {
  readonly stdout: string;
  readonly stderr: string;
}

const runCommand = (
  file: ServerFile,
  args: readonly string[],
  { env, input }: { env: NodeJS.ProcessEnv; input: string },
): Promise<CliRun> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [file, ...args],
      { env, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve({ stdout, stderr }),
    );
    child.stdin?.end(input);
  });

/**
 * What was printed, as the result that it came from: JSON strings are texts, saved pictures are
 * pictures, notes are on stderr.
 */
const resultOf = async ({ stdout, stderr }: CliRun): Promise<ToolResult> => {
  const data = JSON.parse(stdout) as unknown;
  const notes = stderr.split('\n').flatMap((text) => (text === '' ? [] : [{ type: 'text', text }]));
  const { error, path, mimeType } = (data ?? {}) as {
    error?: unknown;
    path?: string;
    mimeType?: string;
  };
  if (path !== undefined && mimeType?.startsWith('image/'))
    return {
      content: [{ type: 'image', data: await readFile(path, 'base64'), mimeType }, ...notes],
    };
  const text = typeof data === 'string' ? data : stdout.trimEnd();
  return {
    content: [{ type: 'text', text }, ...notes],
    ...(error === undefined ? {} : { isError: true }),
  };
};
