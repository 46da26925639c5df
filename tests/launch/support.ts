// What the tests about starting and ending Chrome share: homes of their own, fake Chromes, and a
// look at the processes.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import { CdpConnection, type CdpSession } from '../../src/browser/cdp/connection.ts';
import {
  launchChrome,
  type LaunchOptions,
  type RunningChrome,
} from '../../src/browser/launch/launch-chrome.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { FAILURES, Failure, type FailureCode } from '../../src/core/failure.ts';
import { resolveHome, type Home } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';
import { monotonicMs, sleep } from '../../src/core/time.ts';
import { bundleOnce } from '../bundled-programs.ts';
import { readRunFolder } from '../run-folder.ts';

/** The folder is removed at the end of the test run. */
export const makeFolder = (): string => mkdtempSync(join(readRunFolder(), 'launch-'));

export const makeHome = (): Home => resolveHome({ OPENCHROME_HOME: join(makeFolder(), 'home') });

export const quiet = createLog({ level: 'error' });

/** Starts a Chrome as the server would; it ends with the test. */
export const launch = async (
  home: Home,
  flags: readonly string[] = [],
  options: Partial<LaunchOptions> = {},
): Promise<RunningChrome> => {
  const config = resolveConfig({ flags: ['--headless', ...flags], env: process.env });
  const chrome = await launchChrome({ config, home, log: quiet, ...options });
  onTestFinished(() => chrome.close());
  return chrome;
};

/** The failure with which something must end. */
export const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Failure) return error;
  throw new Error(`expected one of ${Object.keys(FAILURES).length} failures, got ${String(error)}`);
};

export const codeOf = async (work: Promise<unknown>): Promise<FailureCode> =>
  (await failureOf(work)).code;

export const openPage = async (
  chrome: RunningChrome,
  html = '<p>hello</p>',
): Promise<CdpSession> => {
  const connection = new CdpConnection(chrome.transport);
  const { targetId } = await connection.root.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await connection.root.send('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const session = connection.session(sessionId);
  if (!session) throw new Error('no session');
  await session.send('Page.enable');
  const loaded = session.next('Page.loadEventFired', undefined);
  await session.send('Page.navigate', { url: `data:text/html,${encodeURIComponent(html)}` });
  await loaded;
  return session;
};

export const evaluate = async (session: CdpSession, expression: string): Promise<unknown> =>
  (await session.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }))
    .result.value;

/**
 * Processes in the group of `leader` or with `word` in their command line, without zombies.
 */
export const processes = ({ leader = -1, word }: { leader?: number; word?: string }): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return false;
        return (
          Number(group) === leader ||
          (word !== undefined && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(word))
        );
      } catch {
        return false;
      }
    })
    .map(Number);

/** Waits for a condition that has no event. */
export const until = async (condition: () => boolean, withinMs: number): Promise<boolean> => {
  for (const end = monotonicMs() + withinMs; !condition(); await sleep(15))
    if (monotonicMs() > end) return false;
  return true;
};

/**
 * A replacement for Chrome. `body` runs in Node; `answer()` replies to the first command as Chrome
 * would.
 */
export const fakeChrome = (body: string): string => {
  const path = join(makeFolder(), 'fake-chrome');
  const prelude = `
const fs = require('node:fs'), net = require('node:net');
const input = new net.Socket({ fd: 3, readable: true, writable: false }), output = new net.Socket({ fd: 4, readable: false, writable: true });
input.on('error', () => {}), output.on('error', () => {});
const say = (text) => output.write(text + '\\0');
const answer = () => input.once('data', () => say(JSON.stringify({ id: 1, result: { product: 'Fake/1' } })));
const stay = () => setInterval(() => {}, 1000);
`;
  writeFileSync(path, `#!${process.execPath}\n${prelude}${body}\n`);
  chmodSync(path, 0o755);
  return path;
};

let program = '';

/**
 * Makes `startServer` available: the program server-like.ts, which starts a Chrome and waits to be
 * killed.
 */
export const useServers = (): void => {
  beforeAll(async () => {
    program = await bundleOnce('tests/launch/server-like.ts');
  });
};

export interface Server {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The next line it prints. */
  line(): Promise<string>;
  kill(): Promise<void>;
}

export const startServer = (
  home: Home,
  scenario: string,
  flags: readonly string[] = [],
): Server => {
  const child = spawn(process.execPath, [program, scenario, ...flags], {
    env: { ...process.env, OPENCHROME_HOME: home.root },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    process: child,
    pid: child.pid ?? 0,
    line: async () => String((await once(child.stdout, 'data'))[0]).trim(),
    kill: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
};
