// A server that is killed while it records leaves a recording: the next one puts its exports
// together.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useTaskServers } from '../tasks/task-servers.ts';
import { readJson } from './recordings.ts';

const site = useSite({
  '/': '<!doctype html><title>Page</title><link rel="icon" href="data:,"><button>Press</button>',
});
const { home, startServer } = useTaskServers();

describe('a killed server', () => {
  it('leaves a partial recording with all its exports', async () => {
    const flags = ['--headless', '--isolated', '--log-level', 'error'];
    const first = await startServer(flags);
    await first.call('navigate', { url: `${site.origin}/` });
    const { task_id } = await first.call<{ task_id: string }>('oc_task_start', {
      kind: 'recording',
      args: {},
    });
    const kept = (file: string): Promise<string> =>
      readFile(join(home(), 'tasks', task_id, file), 'utf8').catch(() => '');
    await expect.poll(() => kept('screenshots.jsonl'), { timeout: 20_000 }).toContain('start');
    await first.request('tools/call', {
      name: 'interact',
      arguments: { action: 'click', query: 'Press' },
    });
    await expect.poll(() => kept('steps.jsonl')).toContain('"click"');
    await first.kill();

    const second = await startServer(flags);
    const { meta, result } = (await second.get(task_id, { include_result: true })) as unknown as {
      meta: { status: string; error: { code: string } };
      result: { folder: string; steps: string[]; summary: { stop_reason: string } };
    };
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'orphaned' } });
    expect(result.summary.stop_reason).toBe('orphaned');
    expect(result.steps).toEqual([`open ${site.origin}/`, 'click button "Press"']);
    const { dom, screenshots } = await readJson(result.folder);
    expect(dom.length).toBeGreaterThanOrEqual(2);
    expect(screenshots.length).toBeGreaterThanOrEqual(1);
    expect(await readFile(join(result.folder, 'replay.html'), 'utf8')).toContain('</html>');
    expect(await readFile(join(result.folder, 'playwright.mjs'), 'utf8')).toContain('.click(');
  });
});
