// The thread and the sandbox of the first script exist before this script arrives.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { findChrome } from '../../src/browser/launch/find-chrome.ts';
import { resolveHome } from '../../src/core/home.ts';
import { loadEngine } from '../../src/start-parts.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({ '/': '<!doctype html><link rel="icon" href="data:,"><title>Shop</title>' });

/** The heap limit of a thread for scripts, which distinguishes it from other threads. */
const SCRIPT_HEAP_MB = 128;

let started: Worker[] = [];
const keep = (worker: Worker): void => {
  if (worker.resourceLimits?.maxOldGenerationSizeMb === SCRIPT_HEAP_MB) started.push(worker);
};
beforeAll(() => void process.on('worker', keep));
afterAll(() => void process.off('worker', keep));
beforeEach(() => void (started = []));

describe('after the preparation', () => {
  const engine = useEngine();

  it('the first script and later ones run in the prepared thread', async () => {
    await engine.engine.prepareFirstCalls?.();
    expect(started).toHaveLength(1);
    const code = 'await navigate({url: args.url}); return (await read_page()).state.title';
    expect(await engine.text('script', { code, args: { url: site.origin } })).toBe('Shop');
    expect(await engine.text('script', { code: 'args.n + 1', args: { n: 1 } })).toBe('2');
    expect(started).toHaveLength(1);
  });

  it('a script has no globals of the script before it', async () => {
    await engine.text('script', {
      code: 'globalThis.left = 1; Array.prototype.left = 2; log("x")',
    });
    expect(await engine.text('script', { code: '[typeof left, typeof [].left]' })).toBe(
      '["undefined","undefined"]',
    );
  });

  it('a script that exceeds a limit does not affect the script after it', async () => {
    const failure = await engine.failure('script', {
      code: 'return new ArrayBuffer(2 ** 29).byteLength',
    });
    expect(failure.code).toBe('script_limit_exceeded');
    expect(await engine.text('script', { code: '1 + 1' })).toBe('2');
  });
});

describe('during the preparation', () => {
  const engine = useEngine();

  it('a script waits for the thread instead of starting another one', async () => {
    const prepared = engine.engine.prepareFirstCalls?.();
    expect(await engine.text('script', { code: '1 + 1' })).toBe('2');
    await prepared;
    expect(started).toHaveLength(1);
  });
});

describe('after a script', () => {
  const engine = useEngine();

  it('nothing is prepared again', async () => {
    expect(await engine.text('script', { code: '1' })).toBe('1');
    await engine.engine.prepareFirstCalls?.();
    expect(started).toHaveLength(1);
  });
});

describe.each(['--slim', '--disable-tools=script'])('with %s', (flag) => {
  const engine = useEngine([flag]);

  it('nothing is prepared, because the client does not see the tool', async () => {
    await engine.engine.prepareFirstCalls?.();
    expect(started).toHaveLength(0);
  });
});

describe('in a server', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    process.env['OPENCHROME_HOME'] = folder;
  });
  afterAll(async () => {
    delete process.env['OPENCHROME_HOME'];
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('a pause after a call that used Chrome starts the thread', async () => {
    const chrome = await findChrome({ config: resolveConfig({ env: {} }), home: resolveHome({}) });
    const config = resolveConfig({
      flags: ['--headless', '--isolated', `--chrome-path=${chrome?.path}`, '--log-level=error'],
      env: process.env,
    });
    const engine = (await loadEngine(config))(config);
    try {
      const threadStarted = once(process, 'worker');
      await engine.call({ name: 'navigate', arguments: { url: site.origin } });
      await threadStarted;
      expect(started).toHaveLength(1);
    } finally {
      await engine.stop();
    }
  });
});
