// Many at once: 64 clients with hung pages among them, four servers on one home, 500 tabs. Every
// call keeps its deadline, memory and files stay bounded.
import { describe, expect, test } from 'vitest';
import { monotonicMs } from '../../src/core/time.ts';
import { useSite } from '../fixtures.ts';
import { isStructured, noneLeft, type Outcome, useServers } from './servers.ts';

const servers = useServers();
const site = useSite({
  '/': `<title>Home</title>${'<p>Words <a href="/next">link</a></p>'.repeat(100)}<button onclick="this.textContent += '!'">Press</button>`,
  '/next': '<title>Next</title><a href="/">Back</a>',
  '/hung': '<title>Hung</title><p>text</p><script>setTimeout(() => { for (;;); }, 50)</script>',
  '/never': (_, response) => void response.write('<title>Never</title>'),
  '/tab': '<title>Tab</title><p>One of many.</p>',
});

const CROWD_MS = Number(process.env['OPENCHROME_FAULT_SECONDS'] ?? 120) * 1000;
/**
 * On two cores 64 pages wait for each other; a call that waits for its turn still has to answer.
 */
const SLACK_MS = 15_000;

describe('64 clients at once', () => {
  test(
    'get every reply by its deadline, even if some of their pages hang',
    { timeout: CROWD_MS + 240_000 },
    async () => {
      const home = await servers.home();
      const server = await servers.start(home);
      const until = monotonicMs() + CROWD_MS;
      const outcomes: (Outcome & { readonly limit: number; readonly what: string })[] = [];
      const client = async (number: number): Promise<void> => {
        const session = `client-${number}`;
        const call = async (name: string, args: object, limit: number): Promise<void> => {
          outcomes.push({
            ...(await server.call(name, { ...args, timeout_ms: limit }, session)),
            limit,
            what: name,
          });
        };
        const hangs = number % 16 === 0;
        while (monotonicMs() < until) {
          await call(
            'navigate',
            { url: `${site.origin}${hangs ? '/hung' : number % 16 === 1 ? '/never' : '/'}` },
            20_000,
          );
          await call('read_page', { max_tokens: 500 }, hangs ? 2000 : 10_000);
          await call('interact', { action: 'click', query: 'Press' }, hangs ? 2000 : 10_000);
          if (hangs) await call('tabs', { action: 'close' }, 10_000);
        }
      };
      await Promise.all(Array.from({ length: 64 }, (_, number) => client(number)));

      expect(
        outcomes.filter((outcome) => outcome.kind === 'gone' || !isStructured(outcome)),
      ).toEqual([]);
      expect(outcomes.filter(({ ms, limit }) => ms > limit + SLACK_MS)).toEqual([]);
      expect(outcomes.filter(({ kind }) => kind === 'ok').length).toBeGreaterThan(
        outcomes.length / 4,
      );
      const { mib, files } = await server.cost();
      expect(mib).toBeLessThan(500);
      expect(files).toBeLessThan(400);
      expect(
        await server.call('navigate', { url: `${site.origin}/next`, timeout_ms: 30_000 }, 'late'),
      ).toMatchObject({ kind: 'ok' });
      await server.stop();
      expect(await noneLeft(home)).toBe(true);
    },
  );
});

describe('four servers on one home', () => {
  test('share its tasks, handles and journal, and lose none', { timeout: 180_000 }, async () => {
    const home = await servers.home();
    const four = await Promise.all([0, 1, 2, 3].map(() => servers.start(home)));
    const tasks: string[] = [];
    const handles: string[] = [];
    await Promise.all(
      four.map(async (server, number) => {
        await server.call('navigate', { url: `${site.origin}/`, timeout_ms: 60_000 });
        for (let i = 0; i < 10; i++) {
          const started = await server.call('oc_task_start', {
            kind: 'crawl',
            args: { url: `${site.origin}/`, max_pages: 1, render: 'fetch' },
          });
          tasks.push((JSON.parse(started.text) as { task_id: string }).task_id);
          const read = await server.call('read_page', {
            output_mode: 'handle',
            timeout_ms: 20_000,
          });
          handles.push(
            /oh_[A-Z0-9]{12}/.exec(read.text)?.[0] ?? `none from server ${number}: ${read.text}`,
          );
        }
      }),
    );
    expect(new Set(tasks).size).toBe(40);
    expect(new Set(handles).size).toBe(40);
    const [one, other] = four;
    for (const id of tasks)
      expect(
        (await one?.call('oc_task_wait', { task_id: id, timeout_ms: 60_000 }))?.text,
      ).toContain('COMPLETED');
    for (const handle of handles)
      expect(
        await other?.call('oc_output_fetch', { output_handle: handle, limit: 100 }),
      ).toMatchObject({ kind: 'ok' });
    await Promise.all(four.map((server) => server.stop()));
    expect(await noneLeft(home)).toBe(true);
  });
});

describe('500 tabs', () => {
  test(
    'cost the server little, are listed in bounds, and leave the first one quick',
    { timeout: 400_000 },
    async () => {
      const home = await servers.home();
      const server = await servers.start(home);
      await server.call('navigate', { url: `${site.origin}/` });
      const before = await server.cost();
      const [first] = /[0-9A-F]{32}/.exec((await server.call('tabs_context')).text) ?? [];
      let opened = 1;
      const lane = async (): Promise<void> => {
        while (opened++ < 500)
          expect(
            await server.call('tabs', {
              action: 'new',
              url: `${site.origin}/tab`,
              timeout_ms: 60_000,
            }),
          ).toMatchObject({ kind: 'ok' });
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
      const listed = await server.call('tabs_context', { timeout_ms: 20_000 });
      expect(listed.kind).toBe('ok');
      expect(listed.text.length).toBeLessThan(100_000);
      const after = await server.cost();
      expect((after.mib - before.mib) / 500).toBeLessThan(0.5);
      expect(after.files - before.files).toBeLessThan(50);
      const times: number[] = [];
      for (let i = 0; i < 10; i++) {
        const read = await server.call('read_page', { tabId: first, timeout_ms: 20_000 });
        expect(read.kind).toBe('ok');
        times.push(read.ms);
      }
      expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(2000);
      await server.stop();
      expect(await noneLeft(home, 60_000)).toBe(true);
    },
  );
});
