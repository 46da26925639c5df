// kill -9 at random moments under load. Nothing acknowledged is lost, no call outlives its
// deadline, nothing is left running.
import { describe, expect, test } from 'vitest';
import { sleep } from '../../src/core/time.ts';
import { useSite } from '../fixtures.ts';
import { seeded } from '../fuzz/values.ts';
import { killRenderers } from '../renderers.ts';
import { isStructured, noneLeft, type Outcome, type Server, useServers } from './servers.ts';

const servers = useServers();
const site = useSite({
  '/': `<title>Home</title>${'<p>A paragraph with a <a href="/next">link</a>.</p>'.repeat(200)}`,
  '/next': '<title>Next</title><a href="/">Back</a>',
});
const random = seeded(Number(process.env['OPENCHROME_FAULT_SEED'] ?? 1));
const SLACK_MS = 10_000;

interface Acknowledged {
  /** With the session that may read each of them. */
  readonly handles: Map<string, string>;
  readonly tasks: Set<string>;
  calls: number;
}

/** Calls of every kind until the server is gone; what it acknowledged is written down. */
const load = async (
  server: Server,
  lane: number,
  seen: Acknowledged,
  outcomes: Outcome[],
): Promise<void> => {
  const session = `lane-${lane}`;
  for (;;) {
    const way = random();
    const outcome = await (way < 0.3
      ? server.call('navigate', { url: `${site.origin}/`, timeout_ms: 10_000 }, session)
      : way < 0.6
        ? server.call('read_page', { output_mode: 'handle', timeout_ms: 10_000 }, session)
        : way < 0.8
          ? server.call(
              'oc_task_start',
              { kind: 'crawl', args: { url: `${site.origin}/`, max_pages: 2, render: 'fetch' } },
              session,
            )
          : server.call('find', { query: 'link', timeout_ms: 10_000 }, session));
    outcomes.push(outcome);
    if (outcome.kind === 'gone') return;
    seen.calls++;
    const [, handle] = /(oh_[A-Z0-9]{12})/.exec(outcome.text) ?? [];
    if (handle !== undefined) seen.handles.set(handle, session);
    const [, task] = /"task_id":"([^"]+)"/.exec(outcome.text) ?? [];
    if (task !== undefined) seen.tasks.add(task);
  }
};

describe('a server that is killed again and again under load', () => {
  test(
    'keeps every handle, task and journal line that it had acknowledged, and leaves no Chrome behind',
    { timeout: 180_000 },
    async () => {
      const home = await servers.home();
      const seen: Acknowledged = { handles: new Map(), tasks: new Set(), calls: 0 };
      const outcomes: Outcome[] = [];
      for (let round = 0; round < 8; round++) {
        const server = await servers.start(home);
        const lanes = Array.from({ length: 4 }, (_, lane) => load(server, lane, seen, outcomes));
        await sleep(200 + random() * 2500); // the moment of the kill is meant to be any
        await server.kill();
        await Promise.all(lanes);
        expect(await noneLeft(home)).toBe(true);
      }
      expect(outcomes.filter((outcome) => !isStructured(outcome))).toEqual([]);
      expect(outcomes.filter(({ ms }) => ms > 10_000 + SLACK_MS)).toEqual([]);
      expect(seen.handles.size).toBeGreaterThan(2);
      expect(seen.tasks.size).toBeGreaterThan(5);

      const after = await servers.start(home);
      for (const [handle, session] of seen.handles)
        expect(
          await after.call('oc_output_fetch', { output_handle: handle, limit: 100 }, session),
        ).toMatchObject({ kind: 'ok' });
      for (const task of seen.tasks) {
        const { text } = await after.call('oc_task_get', { task_id: task });
        expect(JSON.parse(text)).toMatchObject({
          meta: { status: expect.stringMatching(/^(?:COMPLETED|FAILED|CANCELLED)$/) as string },
        });
      }
      const { text } = await after.call('oc_journal', { action: 'summary' });
      expect(journalled(text)).toBeGreaterThanOrEqual(seen.calls);
      await after.stop();
      expect(await noneLeft(home)).toBe(true);
    },
  );
});

const journalled = (text: string): number => {
  const { calls, total } = JSON.parse(text) as { calls?: number; total?: number };
  return calls ?? total ?? 0;
};

describe('a Chrome that is killed again and again under load', () => {
  test(
    'is restarted; every call gets a reply by its deadline, and reports an unknown outcome',
    { timeout: 180_000 },
    async () => {
      const home = await servers.home();
      const server = await servers.start(home);
      const stopped = new AbortController();
      const outcomes: Outcome[] = [];
      const lane = async (number: number): Promise<void> => {
        while (!stopped.signal.aborted) {
          outcomes.push(
            await server.call(
              'navigate',
              { url: `${site.origin}/`, timeout_ms: 15_000 },
              `lane-${number}`,
            ),
          );
          outcomes.push(
            await server.call(
              'interact',
              { action: 'click', selector: 'a', timeout_ms: 5000 },
              `lane-${number}`,
            ),
          );
          outcomes.push(await server.call('read_page', { timeout_ms: 5000 }, `lane-${number}`));
        }
      };
      await server.call('navigate', { url: `${site.origin}/` });
      const lanes = [0, 1, 2].map(lane);
      for (let round = 0; round < 8; round++) {
        await sleep(300 + random() * 1500);
        const { text } = await server.call('oc_connection_health');
        const pid = Number(
          /"pid":(\d+)[^}]*"product"|"chrome":\{[^}]*"pid":(\d+)/
            .exec(text)
            ?.slice(1)
            .find((found) => found !== undefined),
        );
        if (pid > 0 && pid !== server.pid) process.kill(pid, 'SIGKILL');
      }
      stopped.abort();
      await Promise.all(lanes);
      expect(
        outcomes.filter((outcome) => outcome.kind === 'gone' || !isStructured(outcome)),
      ).toEqual([]);
      expect(outcomes.filter(({ ms }) => ms > 15_000 + SLACK_MS)).toEqual([]);
      expect(
        await server.call('navigate', { url: `${site.origin}/next`, timeout_ms: 20_000 }),
      ).toMatchObject({ kind: 'ok' });
      const restarts = Number(
        /"starts":(\d+)/.exec((await server.call('oc_connection_health')).text)?.[1],
      );
      expect(restarts).toBeGreaterThan(2);
      await server.stop();
      expect(await noneLeft(home)).toBe(true);
    },
  );

  test(
    'a renderer that dies under a call ends it at once, and the tab lives on after a reload',
    { timeout: 60_000 },
    async () => {
      const home = await servers.home();
      const server = await servers.start(home);
      await server.call('navigate', { url: `${site.origin}/` });
      const hanging = server.call('javascript_tool', {
        code: 'new Promise(() => {})',
        timeout_ms: 30_000,
      });
      await sleep(300);
      const { text } = await server.call('oc_connection_health');
      const pids = [...text.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
      await killRenderers(pids.find((pid) => pid > 0 && pid !== server.pid) ?? 0);
      const { code, ms } = await hanging;
      expect(code).toBe('page_crashed');
      expect(ms).toBeLessThan(10_000);
      expect(await server.call('read_page')).toMatchObject({ code: 'page_crashed' });
      expect(await server.call('navigate', { action: 'reload' })).toMatchObject({ kind: 'ok' });
      expect((await server.call('read_page')).text).toContain('paragraph');
      await server.stop();
    },
  );
});
