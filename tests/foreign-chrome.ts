// A Chrome that another process started, and an engine that is attached to it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createEngine } from '../src/app.ts';
import { resolveConfig } from '../src/core/config.ts';
import { resolveHome } from '../src/core/home.ts';
import type { Engine } from '../src/pipeline/engine.ts';
import { useOwnChrome } from './extension/user-chrome.ts';
import { engineCalls, type TestEngine } from './fixtures.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
];

export interface ForeignChrome {
  /** The socket that it listens on. */
  readonly url: string;
  /** The process, which leads the group of all its processes. */
  readonly pid: number;
  readonly isRunning: () => boolean;
  end(): Promise<void>;
}

export const startForeignChrome = async (profile: string): Promise<ForeignChrome> => {
  const child = spawn(
    process.env['CHROME_PATH'] ?? '',
    [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
    void exited.then(() => reject(new Error(`Chrome ended: ${text}`)), reject);
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    pid,
    isRunning,
    end: async () => {
      if (isRunning()) process.kill(-pid, 'SIGKILL');
      await exited;
    },
  };
};

export interface AttachedEngine extends TestEngine {
  readonly chrome: Pick<ForeignChrome, 'url' | 'isRunning'>;
  /** Grants a tab of the user; needed over the extension only. */
  grant(targetId: string): Promise<void>;
}

/** Over the extension if `npm run test:own-chrome` runs the suite. */
export const useAttachedEngine = (flags: readonly string[] = []): AttachedEngine =>
  process.env['OPENCHROME_TEST_OVER'] === 'extension'
    ? useOwnChrome({ flags })
    : useEngineAtAddress(flags);

/** Both end with the file, the engine first. */
const useEngineAtAddress = (flags: readonly string[]): AttachedEngine => {
  let folder = '';
  let chrome: ForeignChrome;
  let engine: Engine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    chrome = await startForeignChrome(join(folder, 'profile'));
    const config = resolveConfig({
      flags: ['--attach', chrome.url, '--log-level', 'error', ...flags],
    });
    engine = createEngine({ config, home: resolveHome({ OPENCHROME_HOME: join(folder, 'home') }) });
  });
  afterAll(async () => {
    await engine.stop();
    await chrome.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return {
    get engine() {
      return engine;
    },
    get home() {
      return join(folder, 'home');
    },
    get chrome() {
      return chrome;
    },
    grant: async () => {},
    ...engineCalls(() => engine),
  };
};
