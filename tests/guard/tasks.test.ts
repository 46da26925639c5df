// A task's domains hold for its own tabs alone, from call to call and through their history, and go
// with it.
import { beforeAll, describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { lookUp, route, useSites } from './sites.ts';

const sites = useSites();
const engine = useEngine([], { lookUp, route });
let taskId = '';
beforeAll(async () => {
  const policy = { allowedDomains: ['localhost'] };
  taskId = (
    await engine.json<{ task_id: string }>('oc_task_start', { objective: 'stay at home', policy })
  ).task_id;
});

const fetched = (url: string): string =>
  `return fetch('${url}', { mode: 'no-cors' }).then(() => 'reached', () => 'refused')`;
const socket = (url: string): string =>
  `return new Promise((done) => { const w = new WebSocket('${url.replace('http', 'ws')}'); w.onopen = () => done('reached'); w.onerror = () => done('refused'); })`;

describe('the domains of a task', () => {
  it('do not apply to other tabs that work at the same time', async () => {
    const { tabId } = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${sites.home}/?own`,
      taskId,
    });
    const other = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${sites.awayByName}/other`,
    });
    expect(other).toMatchObject({ title: 'away' });
    const [inTask, beside] = await Promise.all([
      engine.text('javascript_tool', { code: fetched(`${sites.awayByName}/a`), tabId, taskId }),
      engine.text('javascript_tool', {
        code: fetched(`${sites.awayByName}/b`),
        tabId: other.tabId,
      }),
    ]);
    expect([inTask, beside]).toEqual([
      expect.stringContaining('refused'),
      expect.stringContaining('reached'),
    ]);
    expect(sites.paths().filter((path) => path === '/a')).toEqual([]);
    await engine.text('tabs', { action: 'close', tabId: other.tabId });
  });

  it('are let go of by a call outside the task, in the same tab', async () => {
    await engine.text('navigate', { url: `${sites.home}/`, taskId });
    for (const code of [fetched(`${sites.away}/x`), socket(`${sites.away}/x`)]) {
      expect(await engine.text('javascript_tool', { code, taskId })).toContain('refused');
      expect(await engine.text('javascript_tool', { code })).toContain('reached');
      expect(await engine.text('javascript_tool', { code, taskId })).toContain('refused');
    }
  });

  it('keep its calls from a page that another call has opened, and from one of the history', async () => {
    await engine.text('navigate', { url: `${sites.away}/before` });
    expect(await engine.failure('read_page', { taskId })).toMatchObject({
      code: 'domain_not_allowed',
      reason: 'not_allowed_in_task',
    });
    await engine.text('navigate', { url: `${sites.home}/after`, taskId });
    expect(await engine.failure('navigate', { action: 'back', taskId })).toMatchObject({
      code: 'domain_not_allowed',
    });
    // A page from the back-forward cache is replaced by a blank one, which cannot be read.
    expect((await engine.reply('read_page', {})).text ?? '').not.toContain('away');
  });

  it('apply if another client only watches the tab', async () => {
    await engine.text('navigate', { url: `${sites.home}/watched`, taskId });
    const code = `for (const until = Date.now() + 25000; Date.now() < until && !localStorage.isWatched; await new Promise((done) => setTimeout(done, 50)))
      if (await fetch('${sites.away}/watched', { mode: 'no-cors' }).then(() => true, () => false)) return 'reached';
      return 'refused'`;
    let isOver = false;
    const inTask = engine.text('javascript_tool', { code, taskId }).finally(() => (isOver = true));
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      kind: 'recording',
      args: {},
    });
    await expect
      .poll(() => engine.json('oc_task_get', { task_id }), { timeout: 20_000 })
      .toMatchObject({ meta: { progress: { done: expect.any(Number) as number } } });
    expect(isOver).toBe(false);
    const { tabId } = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${sites.home}/`,
    });
    await engine.text('javascript_tool', { code: 'localStorage.isWatched = 1', tabId });
    await engine.text('tabs', { action: 'close', tabId });
    expect(await inTask).toContain('refused');
    await engine.json('oc_task_cancel', { task_id });
    expect(sites.paths()).not.toContain('/watched');
  });

  it('apply if a slow network is emulated', async () => {
    await engine.text('navigate', { url: `${sites.home}/slow`, taskId });
    await engine.text('emulate', { network: 'slow-3g', taskId });
    expect(
      await engine.text('javascript_tool', { code: socket(`${sites.away}/slow`), taskId }),
    ).toContain('refused');
    expect(
      await engine.text('javascript_tool', { code: socket(`${sites.home}/slow`), taskId }),
    ).toContain('reached');
    await engine.text('emulate', { action: 'reset', taskId });
    expect(
      await engine.text('javascript_tool', { code: socket(`${sites.away}/fast`), taskId }),
    ).toContain('refused');
  });

  it('apply to a mock that would answer for a forbidden host', async () => {
    await engine.text('navigate', { url: `${sites.home}/mock`, taskId });
    await engine.text('request_intercept', {
      action: 'mock',
      url: `${sites.away}/mocked`,
      body: 'made up',
      taskId,
    });
    expect(
      await engine.text('javascript_tool', { code: fetched(`${sites.away}/mocked`), taskId }),
    ).toContain('refused');
  });

  it('apply to a replayed request', async () => {
    await engine.text('navigate', { url: `${sites.home}/replay` });
    await engine.text('javascript_tool', {
      code: `return (await fetch('${sites.away}/again')).text()`,
    });
    const { entries } = await engine.json<{ entries: { key: string }[] }>('network', {
      all: true,
      url: '/again',
      limit: 100,
    });
    const key = entries.at(-1)!.key;
    expect(await engine.json('network', { replay: key })).toMatchObject({ status: 200 });
    expect(await engine.failure('network', { replay: key, taskId })).toMatchObject({
      code: 'domain_not_allowed',
    });
  });

  it('that are not domains are rejected by name', async () => {
    const started = await engine.reply('oc_task_start', {
      objective: 'x',
      policy: { allowedDomains: ['https://a.test/x'] },
    });
    if (started.failure) return expect(started.failure.code).toBe('invalid_argument');
    const { task_id } = JSON.parse(started.text ?? '{}') as { task_id: string };
    expect(
      await engine.failure('navigate', { url: `${sites.home}/`, taskId: task_id }),
    ).toMatchObject({ code: 'invalid_argument' });
  });
});
