// An error that no code handled: pending calls get a failure, Chrome ends, and the next call is
// answered by a new engine.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { linuxStat } from '../../src/system/linux-process.ts';
import { useSite } from '../fixtures.ts';
import { processes } from '../launch/support.ts';
import { alive, linesOf, makeDaemonHome } from './servers.ts';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const site = useSite({ '/': '<title>Home</title><p>Welcome</p>' });

/** Loaded before the program: a signal makes it throw where nothing can catch it. */
const THROW_ON_SIGNAL = `
process.on('SIGUSR2', () => setImmediate(() => { throw new Error('an error that no code handles'); }));
process.on('SIGPWR', () => void Promise.reject(new Error('a rejection that no code handles')));
`;

let folder = '';
beforeAll(async () => {
  if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
  folder = await mkdtemp(join(tmpdir(), 'openchrome-crash-'));
  await writeFile(join(folder, 'throw.mjs'), THROW_ON_SIGNAL);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly home: string;
  readonly exited: Promise<number | null>;
  readonly stderr: () => string;
}

const environment = (home: string): NodeJS.ProcessEnv => ({
  ...process.env,
  OPENCHROME_HOME: home,
  NODE_OPTIONS: `--import=${join(folder, 'throw.mjs')}`,
});

const startProgram = async (...args: string[]): Promise<Program> => {
  const home = await mkdtemp(join(folder, 'home-'));
  const child = spawn(process.execPath, [BINARY, '--headless', '--isolated', ...args], {
    env: environment(home),
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => void child.once('close', resolve));
  onTestFinished(async () => {
    child.stdin.end();
    child.kill('SIGTERM');
    await exited;
    await expect.poll(() => processes({ word: home }), { timeout: 15_000 }).toEqual([]);
  });
  return { child, home, exited, stderr: () => stderr };
};

const request = (id: number, name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
  };
}

const textOf = ({ result }: Answer): string => result?.content[0]?.text ?? '';

/** The engine process that runs below the supervisor. */
const findEngine = (supervisor: number | undefined): number | undefined =>
  processes({ word: BINARY }).find((pid) => Number(linuxStat(String(pid))?.[1]) === supervisor);

describe('over stdio, an error that no code handles', () => {
  it.each(['SIGUSR2', 'SIGPWR'] as const)(
    'after %s fails the pending call, ends Chrome, and the next calls are answered by a new engine',
    async (signal) => {
      const { child, home, stderr } = await startProgram();
      const { next } = linesOf(child);
      const say = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
      const answer = (): Promise<Answer> => next();
      say({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 't', version: '1' },
        },
      });
      expect(await answer()).toMatchObject({ id: 0 });
      say(request(1, 'navigate', { url: `${site.origin}/` }));
      expect(textOf(await answer())).toContain('Home');
      const before = processes({ word: home }); // Chrome and its children
      expect(before.length).toBeGreaterThan(0);
      say(request(2, 'wait_for', { text: 'never there', timeout_ms: 50_000 }));
      say({ jsonrpc: '2.0', id: 3, method: 'ping' }); // answered, so the call before it has begun
      expect(await answer()).toMatchObject({ id: 3 });

      child.kill(signal);
      const failed = await answer();
      expect(failed).toMatchObject({ id: 2, result: { isError: true } });
      expect(JSON.parse(textOf(failed))).toMatchObject({
        error: { code: 'engine_stopped', retryable: false, log_id: expect.any(String) },
      });
      expect(stderr()).toContain('no code handles');

      say(request(4, 'navigate', { url: `${site.origin}/` }));
      const reply = await answer();
      expect(reply).toMatchObject({ id: 4 });
      expect(textOf(reply)).toContain('Home');
      expect(before.filter(alive)).toEqual([]);
      expect(child.exitCode).toBe(null);

      // The new process may crash too.
      process.kill(findEngine(child.pid) ?? 0, signal);
      await expect
        .poll(() => stderr().match(/no code handles/g)?.length, { timeout: 20_000 })
        .toBe(2);
      say(request(5, 'navigate', { url: `${site.origin}/` }));
      expect(textOf(await answer())).toContain('Home');
      child.stdin.end();
    },
  );

  it('keeps a request that was half received', async () => {
    const { child } = await startProgram();
    const { next } = linesOf(child);
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })}\n`;
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n${line.slice(0, 20)}`,
    );
    expect(await next()).toMatchObject({ id: 1 });
    child.kill('SIGUSR2');
    await expect.poll(() => findEngine(child.pid), { timeout: 20_000 }).toBeDefined();
    child.stdin.write(line.slice(20));
    expect(await next()).toMatchObject({ id: 7, result: { tools: expect.any(Array) } });
    child.stdin.end();
  });
});

describe('over HTTP, an error that no code handles', () => {
  it('fails the pending call, and a new engine answers at the same port', async () => {
    const { child, stderr } = await startProgram('--http', '0');
    const listening = (): string[] =>
      [...stderr().matchAll(/listening on (http:\S+)/g)].map(([, url]) => url ?? '');
    await expect.poll(listening, { timeout: 20_000 }).toHaveLength(1);
    const [url = ''] = listening();
    const post = async (message: object): Promise<Answer> => {
      const body = JSON.stringify(message);
      return (
        await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      ).json() as Promise<Answer>;
    };
    expect(textOf(await post(request(1, 'navigate', { url: `${site.origin}/` })))).toContain(
      'Home',
    );
    const pending = post(request(2, 'wait_for', { text: 'never there', timeout_ms: 50_000 }));
    await expect
      .poll(async () => textOf(await post(request(3, 'tabs_context'))), { timeout: 20_000 })
      .toContain('busy');
    child.kill('SIGUSR2');
    expect(JSON.parse(textOf(await pending))).toMatchObject({ error: { code: 'engine_stopped' } });
    await expect.poll(listening, { timeout: 30_000 }).toEqual([url, url]);
    expect(textOf(await post(request(4, 'navigate', { url: `${site.origin}/` })))).toContain(
      'Home',
    );
  });
});

describe('in the daemon, an error that no code handles', () => {
  it('ends it with its Chrome, and the next command starts another', async () => {
    const home = await makeDaemonHome();
    const run = (...args: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [BINARY, ...args], {
          env: environment(home),
          stdio: 'pipe',
        });
        let stdout = '';
        child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
        child.once('error', reject);
        child.once('close', () => resolve(stdout));
      });
    const daemonPid = async (): Promise<number> =>
      (JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as { pid: number }).pid;
    expect(
      await run(
        'call',
        'navigate',
        '--headless',
        '--isolated',
        '--args',
        JSON.stringify({ url: `${site.origin}/` }),
      ),
    ).toContain('Home');
    const first = await daemonPid();
    process.kill(first, 'SIGUSR2');
    await expect.poll(() => alive(first), { timeout: 30_000 }).toBe(false);
    await expect.poll(() => processes({ word: home }), { timeout: 15_000 }).toEqual([]);
    expect(
      await run(
        'call',
        'navigate',
        '--headless',
        '--isolated',
        '--args',
        JSON.stringify({ url: `${site.origin}/` }),
      ),
    ).toContain('Home');
    expect(await daemonPid()).not.toBe(first);
  });
});
