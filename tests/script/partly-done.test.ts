// Failures of scripts and recipes that have acted: they list what was done, and are not retryable.
import { beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
    <button onclick="this.textContent = 'Paid'">Pay</button>`,
});
const engine = useEngine();

// A script after a limit starts a thread, which takes a part of its time.
beforeEach(() => engine.text('script', { code: `await navigate({ url: '${site.origin}' }); 1` }));

const PAY = 'await interact({ action: "click", query: "Pay" });';
const DONE = {
  retryable: false,
  done: [expect.stringMatching(/^Line 1: interact: clicked e\d+ button "Pay"; /)],
  page: { tabId: expect.any(String), title: 'Shop' },
};

describe('a script that has acted', () => {
  it.each([
    ['times out', 'await sleep(60000)', 'timeout'],
    ['times out in a call', 'await wait_for({ text: "never", timeout_ms: 60000 })', 'timeout'],
    ['computes for too long', 'for (;;) {}', 'script_limit_exceeded'],
    ['makes too many calls', 'await find({ query: "Pay" })', 'script_limit_exceeded'],
    ['throws', 'throw new Error("x")', 'script_failed'],
  ])('and then %s lists its calls and is not retryable', async (_, code, expected) => {
    const timeout = expected === 'timeout' ? { timeout_ms: 4000 } : {};
    const given = { code: `${PAY} ${code}`, max_calls: code.startsWith('await find') ? 1 : 100 };
    const failure = await engine.failure('script', { ...given, ...timeout });
    expect(failure).toMatchObject({ ...DONE, code: expected });
    if (expected === 'timeout') expect(failure.hint).toContain('Look at the page');
  });

  it('and is cancelled lists its calls', async () => {
    const cancel = new AbortController();
    const waits = new Promise<void>((resolve) => site.page('/waits', () => resolve()));
    const reply = engine.engine.call({
      name: 'script',
      arguments: { code: `${PAY} await navigate({ url: '${site.origin}/waits' })` },
      signal: cancel.signal,
    });
    await waits;
    cancel.abort();
    expect((await reply).failure?.toJSON().error).toMatchObject({
      code: 'cancelled',
      retryable: false,
      done: [expect.stringContaining('clicked'), expect.stringContaining('navigate: ')],
    });
  });

  it('is retryable if it has only read or opened pages', async () => {
    const code = `await navigate({ url: '${site.origin}' }); await sleep(60000)`;
    expect(await engine.failure('script', { code, timeout_ms: 4000 })).toMatchObject({
      code: 'timeout',
      retryable: true,
      done: [expect.stringContaining('navigate')],
    });
  });
});

it('a recipe that has acted and then times out lists its steps and is not retryable', async () => {
  await engine.json('oc_recipe', {
    source: `name: slow\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/
  - action: click
    target: { role: button, name: Pay }
  - wait: { text: never, timeout_ms: 60000 }`,
  });
  expect(await engine.failure('oc_recipe', { run: 'slow', timeout_ms: 4000 })).toMatchObject({
    code: 'timeout',
    retryable: false,
    done: [`open ${site.origin}/`, 'click button "Pay"'],
    page: { url: `${site.origin}/`, title: 'Shop' },
  });
});

it('act that fails after a step is not retryable', async () => {
  const failure = await engine.failure('act', {
    instruction: 'click Pay; wait for never',
    timeout_ms: 4000,
  });
  expect(failure).toMatchObject({ retryable: false, done: [expect.stringContaining('clicked')] });
});
