// A recording that is started and stopped by two calls: where it records, what the reply names, and
// what its exports hold.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RecordingResult } from '../../src/features/recording/assemble.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { inReplay, openReplay } from './recordings.ts';

type Stopped = RecordingResult & { readonly task_id: string; readonly status: string };
interface Started {
  readonly task_id: string;
  readonly status: string;
  readonly folder: string;
}

const site = useSite({
  '/': `<!doctype html><title>Shop</title><link rel="icon" href="data:,">
    <button onclick="this.textContent = 'Bought'">Buy</button>
    <label>Password <input type="password" name="pw"></label>`,
});

describe('a recording that is started before the first page', () => {
  const engine = useEngine();

  it('opens no tab, and records the first tab that another call opens', async () => {
    const { task_id, status, folder } = await engine.json<Started>('recording', {
      action: 'start',
    });
    expect(status).toBe('RUNNING');
    expect(engine.engine.health()).toMatchObject({ tabs: 0 });
    const { tabId } = await engine.json<{ tabId: string }>('navigate', { url: site.origin });
    await engine.text('interact', { action: 'click', query: 'Buy' });
    const stopped = await engine.json<Stopped>('recording', { action: 'stop' });
    expect(stopped).toMatchObject({
      task_id,
      status: 'COMPLETED',
      folder,
      summary: { final_url: `${site.origin}/`, stop_reason: 'stopped' },
    });
    const { tabs } = await engine.json<{ tabs: { tabId: string; active: boolean }[] }>(
      'tabs_context',
    );
    expect(tabs.map((tab) => tab.tabId)).toEqual([tabId]);
  });

  it('ends as cancelled if it is stopped before any page is opened', async () => {
    await engine.json<Started>('recording', { action: 'start', session: 'empty' });
    expect(await engine.json('recording', { action: 'stop', session: 'empty' })).toMatchObject({
      status: 'CANCELLED',
    });
  });
});

describe('a recording that is stopped', () => {
  const engine = useEngine();

  it('is completed, and the reply names its folder and files', async () => {
    await engine.text('navigate', { url: site.origin });
    const { task_id, folder } = await engine.json<Started>('recording', { action: 'start' });
    await engine.text('interact', { action: 'click', query: 'Buy' });
    await engine.text('fill_form', { fields: [{ label: 'Password', value: 'correct-horse-9' }] });
    expect(
      await engine.failure('interact', { action: 'click', query: 'Sell', timeout_ms: 500 }),
    ).toBeDefined();
    const stopped = await engine.json<Stopped>('recording', { action: 'stop' });
    expect(stopped).toMatchObject({
      task_id,
      status: 'COMPLETED',
      folder,
      summary: { stop_reason: 'stopped', failed_calls: 1 },
    });
    expect(stopped.steps.join('\n')).toMatch(/open .*\nclick button "Buy"\nfill .* with a secret/);
    expect(stopped.files.map((file) => file.export)).toEqual([
      'json',
      'html',
      'playwright',
      'puppeteer',
    ]);
    for (const { path, bytes } of stopped.files) expect((await stat(path)).size).toBe(bytes);
    const listed = await engine.json<{ tasks: { status: string }[] }>('oc_task_list', {
      kind: 'recording',
    });
    expect(listed.tasks[0]).toMatchObject({ status: 'COMPLETED' });

    await openReplay(engine, site, folder);
    const shown = await inReplay(
      engine,
      `[...document.querySelectorAll('li.step.bad')].map((item) => item.textContent).join('|')`,
    );
    expect(shown).toMatch(/interact .*Sell.* failed: \w+/);

    for (const name of ['playwright', 'puppeteer']) {
      const script = stopped.files.find((file) => file.export === name)?.path ?? '';
      const { PASSWORD: _, ...env } = process.env;
      const run = promisify(execFile)(process.execPath, [script], { env });
      await expect(run).rejects.toMatchObject({
        stderr: expect.stringContaining('Set the environment variables of these secrets: PASSWORD'),
      });
    }
  });

  it('must exist in the session', async () => {
    expect(await engine.failure('recording', { action: 'stop' })).toMatchObject({
      code: 'task_not_found',
    });
    expect(
      await engine.failure('recording', { action: 'stop', id: '0123456789abcdef' }),
    ).toMatchObject({ code: 'task_not_found' });
  });
});
