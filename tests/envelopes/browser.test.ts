// Envelopes around a real browser: what is counted of navigations, pictures, idle clicks, stale
// refs and login pages.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import type { VisibilityCache } from './envelopes.ts';

const site = useSite({
  '/': '<!doctype html><title>Start</title><h1>Start</h1><button>Idle</button><a href="/login">Account</a>',
  '/login':
    '<!doctype html><title>Sign in</title><form><input name="user"><input type="password" name="pass"><button>Sign in</button></form>',
});
const { reply, json, text } = useEngine();

const start = async (policy: object = {}): Promise<string> =>
  (await json<{ task_id: string }>('oc_task_start', { objective: 'look around', policy })).task_id;
const get = (id: string): Promise<VisibilityCache> =>
  json<VisibilityCache>('oc_task_get', { task_id: id });

describe('an envelope around a browser', () => {
  it('counts what looked, what acted, and the addresses that were opened', async () => {
    const taskId = await start();
    const url = `${site.origin}/`;
    await reply('navigate', { url, taskId });
    await reply('navigate', { url: `${url}#part`, taskId });
    await reply('read_page', { taskId });
    await reply('navigate', { action: 'reload', taskId });
    await reply('computer', { action: 'screenshot', taskId });
    await reply('page_screenshot', { taskId });
    await reply('navigate', { url: 'http://127.0.0.1:1/', taskId });
    const { counters, reply_tokens: tokens } = await get(taskId);
    expect(counters).toMatchObject({
      toolCalls: 7,
      actionCalls: 4,
      observationCalls: 3,
      failureCalls: 1,
      failureStreak: 1,
    });
    expect(counters.sameUrlNavigations).toEqual({ [url]: 3, 'http://127.0.0.1:1/': 1 });
    expect(tokens.perTool['page_screenshot']).toBeGreaterThan(300); // pictures are not free
  });

  it('sums up clicks without effect, stale refs and login pages', async () => {
    const taskId = await start();
    await reply('navigate', { url: `${site.origin}/`, taskId });
    await reply('interact', { action: 'hover', query: 'Start', taskId });
    const ref = /(e\d+) button "Idle"/.exec(await text('read_page', { taskId }))?.[1];
    await reply('interact', { action: 'click', query: 'Account', taskId });
    await reply('read_page', { taskId });
    await reply('interact', { action: 'fill', selector: '[name=user]', value: 'ada', taskId });
    expect((await reply('interact', { action: 'click', ref, taskId })).failure?.code).toBe(
      'stale_ref',
    );
    const { signals, counters } = await get(taskId);
    expect(counters.toolCalls).toBe(7);
    expect(signals).toMatchObject({ staleRefs: 1, loginWalls: 1, noEffect: 1 });
    expect(signals['hints']).toBeGreaterThanOrEqual(1);
  });

  it('does not count a call that the client has cancelled', async () => {
    const taskId = await start();
    const { failure } = await reply('wait_for', {
      text: 'never to be seen',
      timeout_ms: 200,
      taskId,
    });
    expect(failure?.code).toBe('timeout');
    expect(await get(taskId)).toMatchObject({
      counters: { toolCalls: 1, failureCalls: 1 },
      signals: { timeouts: 1 },
    });
  });
});
