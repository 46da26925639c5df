// Starts the built server with a home of its own, and drives its dashboard with our own tools.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

export interface DashboardServer {
  readonly origin: string;
  readonly port: number;
  /** The URL of the log, which works once. */
  readonly url: string;
  readonly home: string;
  /** All of stderr so far. */
  readonly log: () => string;
  call(name: string, args?: object): Promise<string>;
  stop(): Promise<void>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
}

type OnEnd = (end: () => Promise<void>) => unknown;

export const makeHome = async (onEnd: OnEnd = onTestFinished): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'openchrome-dashboard-'));
  onEnd(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return home;
};

interface ServerOptions {
  readonly home: string;
  readonly port?: number;
  readonly flags?: readonly string[];
  readonly onEnd?: OnEnd;
}

export const startDashboard = async ({
  home,
  port = 0,
  flags = [],
  onEnd = onTestFinished,
}: ServerOptions): Promise<DashboardServer> => {
  const args = [BINARY, '--http', String(port), '--headless', '--allow-private-network', ...flags];
  const env = { ...process.env, OPENCHROME_HOME: home };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  const exited = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const [found] = /http:\/\/\S+\?ticket=\S+/.exec(log) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(`the server ended: ${log}`)));
  });
  const { origin, port: listening } = new URL(url);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const stop = (): Promise<void> => end('SIGTERM');
  onEnd(stop);
  return {
    origin,
    port: Number(listening),
    url,
    home,
    log: () => log,
    stop,
    kill: () => end('SIGKILL'),
    call: (name, given = {}) => callTool(origin, name, given),
  };
};

const callTool = async (origin: string, name: string, args: object): Promise<string> => {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  });
  const { result } = (await response.json()) as {
    result: { content: { text?: string }[] };
  };
  return result.content.map(({ text = '' }) => text).join('\n');
};

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** node:http, because fetch forbids some headers. */
export const send = (
  origin: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<PlainAnswer> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const request = httpRequest(new URL(path, origin), { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    request.once('error', reject);
    request.end(body);
  });

/** The headers of a viewer. */
export interface ViewerHeaders extends Record<string, string> {
  readonly cookie: string;
  readonly 'x-openchrome-key': string;
}

/** Exchanges the ticket of a URL for a cookie and the key of the page. */
export const takeAccess = async (url: string): Promise<ViewerHeaders> => {
  const { headers } = await send(url, url);
  const [, key = ''] = /^\/#access=(\w+)$/.exec(headers.location ?? '') ?? [];
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { cookie, 'x-openchrome-key': key };
};
