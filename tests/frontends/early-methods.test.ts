// The list of tools before the engine is loaded, and the requests that load it.
import { describe, expect, it, vi } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { createLog } from '../../src/core/log.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { createLazyEngine, mayLoadLater } from '../../src/frontends/mcp/early-methods.ts';
import type { Exchange } from '../../src/frontends/mcp/methods.ts';
import { listTools } from '../../src/frontends/mcp/tool-methods.ts';

const exchange: Exchange = { signal: new AbortController().signal, notify: () => {} };

const useLateEngine = (...flags: string[]) => {
  const config = resolveConfig({ flags });
  const engine = {
    config,
    log: createLog({ level: 'error', write: () => {} }),
    tools: TOOLS,
    call: vi.fn(async () => ({ text: 'called', images: [], notes: [] })),
    stop: vi.fn(async () => {}),
  };
  const load = vi.fn(async () => engine as unknown as Engine);
  const endCleanup = vi.fn();
  const startCleanup = vi.fn(async () => ({ [Symbol.dispose]: endCleanup }));
  const late = createLazyEngine(config, { loadEngine: load, startCleanup });
  const request = (method: string, params: object = {}) =>
    late.methods.get(method)?.({ ...params }, exchange);
  return { config, engine, load, startCleanup, endCleanup, late, request };
};

describe('tools/list', () => {
  it('is answered without the engine', async () => {
    vi.useFakeTimers();
    try {
      const { load, request } = useLateEngine();
      const list = await request('tools/list');
      expect(list).toHaveProperty('tools.0.name', 'navigate');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(load).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([[], ['--slim'], ['--all-tools'], ['--structured-content']])(
    'is the list of the engine (%s)',
    async (...flags) => {
      const { config, request } = useLateEngine(...flags);
      expect(await request('tools/list')).toEqual({ tools: listTools(TOOLS, config) });
    },
  );
});

it('a call loads the engine once', async () => {
  const { engine, load, request } = useLateEngine();
  const call = { name: 'tabs_context', arguments: {} };
  const [reply] = await Promise.all([request('tools/call', call), request('tools/call', call)]);
  expect(reply).toMatchObject({ content: [{ type: 'text', text: 'called' }] });
  expect(engine.call).toHaveBeenCalledTimes(2);
  expect(load).toHaveBeenCalledOnce();
});

it('leftovers are removed without the engine until it is loaded', async () => {
  vi.useFakeTimers();
  try {
    const { load, startCleanup, endCleanup, request } = useLateEngine();
    await vi.advanceTimersByTimeAsync(1000);
    expect(startCleanup).toHaveBeenCalledOnce();
    expect(load).not.toHaveBeenCalled();
    expect(endCleanup).not.toHaveBeenCalled();
    await request('tools/call', { name: 'tabs_context' });
    expect(endCleanup).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

it('an engine that is loaded at once leaves the cleanup to the engine', async () => {
  vi.useFakeTimers();
  try {
    const { startCleanup, request } = useLateEngine();
    await request('tools/call', { name: 'tabs_context' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(startCleanup).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

it('stopping ends the engine that was loaded, and loads none', async () => {
  const { engine, load, late, request } = useLateEngine();
  await late.stop();
  expect(load).not.toHaveBeenCalled();
  await request('tools/call', { name: 'tabs_context' });
  await late.stop();
  expect(engine.stop).toHaveBeenCalledOnce();
});

it.each([
  ['--disable-tools', 'crawl'],
  ['--secrets', '/secrets.json'],
  ['--allow-domains', 'example.com'],
  ['--block-domains', 'example.com'],
])('the engine is loaded first with %s, whose value it checks', (...flags) => {
  expect(mayLoadLater(resolveConfig({ flags: [] }))).toBe(true);
  expect(mayLoadLater(resolveConfig({ flags }))).toBe(false);
});
