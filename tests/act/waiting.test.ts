// Waiting for what is about to happen: nothing that comes between a look and the wait is missed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { fail } from '../../src/core/failure.ts';
import { resolveHome } from '../../src/core/home.ts';
import { sleep } from '../../src/core/time.ts';
import { engineCalls, useEngine, useSite } from '../fixtures.ts';

const server = useEngine();
const site = useSite({ '/': '<title>Here</title><p>Here</p>' });

it('for a page to load is not longer than its loading, whenever the wait begins', async () => {
  await server.json('navigate', { url: `${site.origin}/` });
  for (let time = 0; time < 40; time++) {
    // It may be overtaken by the reload before: only that there is one matters.
    await server.reply('javascript_tool', {
      code: `setTimeout(() => location.reload(), ${time % 8})`,
    });
    expect(
      await server.text('wait_for', { loadState: 'load', timeout_ms: 4_000 }),
      `time ${time}`,
    ).toContain('loaded');
  }
});

it('in a page that hangs fails with the page named, not with the condition', async () => {
  await server.json('tabs', { action: 'new', url: `${site.origin}/` });
  await server.text('javascript_tool', {
    code: 'setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); }); 1',
  });
  expect(await server.failure('wait_for', { text: 'Never', timeout_ms: 1500 })).toMatchObject({
    code: 'page_unresponsive',
    message: expect.stringContaining('within 1500 ms') as string,
  });
});

describe('a wait for a page whose Chrome is stopped', () => {
  const FRAMES = '<title>Frames</title><iframe srcdoc="<p>Inner</p>"></iframe>';
  it.each([
    ['for a text', 'wait_for', { text: 'Never' }],
    ['for a function', 'wait_for', { function: 'window.never' }],
    ['for a target in several frames', 'interact', { action: 'click', query: 'Never' }],
  ])('%s ends at once and does not block the engine', async (_, name, args) => {
    const home = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    const config = resolveConfig({
      flags: ['--headless', '--isolated', '--log-level', 'error'],
      env: process.env,
    });
    const engine = createEngine({
      config,
      home: { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers },
    });
    const { text } = engineCalls(() => engine);
    await text('navigate', { url: site.page('/frames', FRAMES) });
    const client = new AbortController();
    const waiting = engine.call({
      name,
      arguments: { ...args, timeout_ms: 30_000 },
      signal: client.signal,
    });
    await expect.poll(() => text('tabs_context'), { timeout: 20_000 }).toContain('busy');
    const delay = monitorEventLoopDelay();
    delay.enable();
    client.abort(fail('engine_stopped', 'The server is stopping.'));
    await engine.stop();
    expect((await waiting).failure?.code).toBe('engine_stopped');
    await sleep(50); // one more turn, so that a blocked one is counted
    delay.disable();
    // A loop that asks the closed page again without a pause blocks the engine for the time of the
    // call.
    expect(delay.max / 1e6).toBeLessThan(15_000);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
});
