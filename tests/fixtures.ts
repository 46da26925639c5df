// What tests with a real Chrome share: an engine with a home of its own, and pages served on
// loopback.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createEngine } from '../src/app.ts';
import { resolveConfig } from '../src/core/config.ts';
import type { FailureBody } from '../src/core/failure.ts';
import { resolveHome } from '../src/core/home.ts';
import type { Reply } from '../src/pipeline/call.ts';
import type { Engine } from '../src/pipeline/engine.ts';
import { useOwnChrome } from './extension/user-chrome.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
export type Routes = Record<string, string | Handler>;

export interface Site {
  /** The origin, e.g. http://127.0.0.1:1234 */
  readonly origin: string;
  readonly port: number;
  /** Sets what a path answers: a page's HTML, or a handler. Returns the page's address. */
  page(path: string, answer: string | Handler): string;
}

/** Chrome sends addresses of up to 2 MB. Node would answer them with 431, and not end its answer. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;

/** A web site that lasts as long as the test file; paths without an answer are 404. */
export const useSite = (routes: Routes = {}): Site => {
  const answers = new Map(Object.entries(routes));
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const answer = answers.get((request.url ?? '/').split('?')[0] ?? '/');
    if (typeof answer === 'function') return answer(request, response);
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(answer ?? 'not found');
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    get port() {
      return port;
    },
    page(path, answer) {
      answers.set(path, answer);
      return `http://127.0.0.1:${port}${path}`;
    },
  };
};

export interface EngineCalls {
  /** The whole reply. */
  reply(name: string, args?: unknown, session?: string): Promise<Reply>;
  /** The text of a call that must succeed. */
  text(name: string, args?: unknown, session?: string): Promise<string>;
  /** The JSON of a call that must succeed. */
  json<T = Record<string, unknown>>(name: string, args?: unknown, session?: string): Promise<T>;
  /** The failure of a call that must fail. */
  failure(name: string, args?: unknown, session?: string): Promise<FailureBody['error']>;
}

export interface TestEngine extends EngineCalls {
  readonly engine: Engine;
  readonly home: string;
}

/** The ways to call an engine that is there by the time of the call. */
export const engineCalls = (engine: () => Engine): EngineCalls => {
  const reply = (name: string, args?: unknown, session?: string): Promise<Reply> =>
    engine().call({ name, arguments: args, ...(session === undefined ? {} : { session }) });
  const text = async (name: string, args?: unknown, session?: string): Promise<string> => {
    const answer = await reply(name, args, session);
    if (answer.failure) throw new Error(`${name} failed: ${JSON.stringify(answer.failure)}`);
    return answer.text ?? '';
  };
  return {
    reply,
    text,
    json: async <T>(name: string, args?: unknown, session?: string) =>
      JSON.parse(await text(name, args, session)) as T,
    failure: async (name, args, session) => {
      const answer = await reply(name, args, session);
      if (!answer.failure) throw new Error(`${name} succeeded: ${answer.text}`);
      return answer.failure.toJSON().error;
    },
  };
};

/**
 * An engine with a temporary home; its Chrome starts with the first call that needs it and ends
 * with the file.
 */
export const useEngine = (
  flags: readonly string[] = [],
  further: Pick<Parameters<typeof createEngine>[0], 'lookUp' | 'route'> = {},
): TestEngine => {
  if (process.env['OPENCHROME_TEST_OVER'] === 'extension') return useOwnChrome({ flags });
  let engine: Engine;
  let home = '';
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    const config = resolveConfig({
      flags: ['--headless', '--isolated', '--log-level', 'error', ...flags],
      env: process.env,
    });
    engine = createEngine({
      config,
      home: { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers },
      ...further,
    });
  });
  afterAll(async () => {
    await engine.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    get engine() {
      return engine;
    },
    get home() {
      if (home === '')
        throw new Error('The home folder does not exist yet: read it inside of a test.');
      return home;
    },
    ...engineCalls(() => engine),
  };
};
