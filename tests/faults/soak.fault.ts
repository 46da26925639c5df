// A soak: 8 clients, hostile pages, kills and a full disk. Acknowledged data stays, no Chrome is
// left, memory stays flat.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { monotonicMs, sleep } from '../../src/core/time.ts';
import { useSite } from '../fixtures.ts';
import { seeded } from '../fuzz/values.ts';
import { mountSmall } from './disks.ts';
import { isStructured, noneLeft, type Outcome, type Server, useServers } from './servers.ts';

const SOAK_MS = Number(process.env['OPENCHROME_SOAK_MINUTES'] ?? 1) * 60_000;
const CLIENTS = 8;
const SERVER_KILLS = 2;
const CALL_MS = 10_000;
const HOSTILE_MS = 3000;
/** On two cores 8 pages wait for each other, and for a Chrome that starts. */
const SLACK_MS = 15_000;
const MEMORY_GROWTH = 1.25;

const servers = useServers();
const site = useSite({
  '/': `<title>Home</title>${'<p>A paragraph with a <a href="/next">link</a>.</p>'.repeat(200)}`,
  '/next': '<title>Next</title><a href="/">Back</a>',
  '/busy': '<title>Busy</title><p>text</p><script>setTimeout(() => { for (;;); }, 50)</script>',
  '/endless': (_, response) => void response.write('<title>Endless</title>'),
  '/dialogs': '<title>Dialogs</title><script>setInterval(() => alert("again"), 1)</script>',
  '/popups': '<title>Popups</title><script>for (let i = 0; i < 20; i++) open("/next")</script>',
  '/noise':
    '<title>Noise</title><script>setInterval(() => { for (let i = 0; i < 500; i++) console.log("x".repeat(500)) }, 10)</script>',
  '/nodes':
    '<title>Nodes</title><script>for (let i = 0; i < 20000; i++) document.write("<b><i>x</i></b>")</script>',
  '/loop': (_, response) => void response.writeHead(302, { location: '/loop' }).end(),
});
const HOSTILE = ['/busy', '/endless', '/dialogs', '/popups', '/noise', '/nodes', '/loop'];
const random = seeded(Number(process.env['OPENCHROME_FAULT_SEED'] ?? 1));

/** Everything that the clients received. */
class Received {
  /** With the session that may read each of them. */
  readonly handles = new Map<string, string | undefined>();
  readonly tasks = new Set<string>();
  readonly faults: (Outcome & { readonly tool: string })[] = [];
  answered = 0;
  succeeded = 0;
  notStored = 0;

  add(tool: string, outcome: Outcome, limitMs: number, session?: string): void {
    if (!isStructured(outcome) || outcome.ms > limitMs + SLACK_MS)
      this.faults.push({ ...outcome, tool });
    if (outcome.kind === 'gone') return;
    this.answered++;
    if (outcome.code === 'storage_failed') this.notStored++;
    if (outcome.kind === 'failed') return;
    this.succeeded++;
    const [, handle] = /"output_handle":\s*"(oh_[A-Z0-9]{12})"/.exec(outcome.text) ?? [];
    if (handle !== undefined) this.handles.set(handle, session);
    const [, task] = /"task_id":\s*"([^"]+)"/.exec(outcome.text) ?? [];
    if (task !== undefined) this.tasks.add(task);
  }
}

const crawlTask = (): object => ({
  kind: 'crawl',
  args: { url: `${site.origin}/next`, max_pages: 1, render: 'fetch' },
});

/** One client that calls until the time has come or the server is gone. */
const runClient = async (
  server: Server,
  number: number,
  until: number,
  record: Received,
): Promise<void> => {
  const gone = new AbortController();
  const call = async (tool: string, args: object, limitMs: number): Promise<void> => {
    if (gone.signal.aborted) return;
    const session = `client-${number}`;
    const outcome = await server.call(tool, { ...args, timeout_ms: limitMs }, session);
    record.add(tool, outcome, limitMs, session);
    if (outcome.kind === 'gone') gone.abort();
  };
  while (!gone.signal.aborted && monotonicMs() < until) {
    if (random() < 0.3) {
      const path = HOSTILE[Math.floor(random() * HOSTILE.length)];
      await call('navigate', { url: `${site.origin}${path}` }, HOSTILE_MS);
      await call('read_page', { max_tokens: 500 }, HOSTILE_MS);
      await call('tabs', { action: 'close' }, CALL_MS);
      continue;
    }
    await call('navigate', { url: `${site.origin}/` }, CALL_MS);
    await call('read_page', { max_tokens: 500 }, CALL_MS);
    await call('interact', { action: 'click', selector: 'a' }, CALL_MS);
    if (random() < 0.4) await call('read_page', { output_mode: 'handle' }, CALL_MS);
    if (random() < 0.2) await call('oc_task_start', crawlTask(), CALL_MS);
  }
};

const runClients = (server: Server, until: number, record: Received): Promise<unknown> =>
  Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => runClient(server, number, until, record)),
  );

const killChrome = async (server: Server): Promise<boolean> => {
  const { text } = await server.call('oc_connection_health');
  const pids = [...text.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
  const chrome = pids.find((pid) => pid > 0 && pid !== server.pid);
  if (chrome !== undefined) process.kill(chrome, 'SIGKILL');
  return chrome !== undefined;
};

const DISK_MIB = 64 + Math.ceil(SOAK_MS / 60_000) * 16;

/** Fills the disk, starts a task that cannot be stored, and makes room again. */
const fillDisk = async (home: string, server: Server, record: Received): Promise<void> => {
  const ballast = join(home, 'ballast');
  // stops when the disk is full
  await writeFile(ballast, Buffer.alloc(DISK_MIB * 1024 * 1024)).catch(() => {});
  await sleep(1000 + random() * 1000);
  record.add('oc_task_start', await server.call('oc_task_start', crawlTask()), CALL_MS);
  await rm(ballast);
};

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The median memory in the second and in the last quarter. */
const compareQuarters = (
  samples: readonly number[],
): { readonly second: number; readonly last: number } => {
  const quarter = Math.floor(samples.length / 4);
  return {
    second: middle(samples.slice(quarter, 2 * quarter)),
    last: middle(samples.slice(-quarter)),
  };
};

test(
  '8 clients with hostile pages lose nothing through kills and a full disk, and the server does not grow',
  { timeout: SOAK_MS * 2 + 240_000 },
  async () => {
    const home = await servers.home();
    const isSmall = await mountSmall(home, `size=${DISK_MIB}m`);
    const record = new Received();

    for (let kills = 0; kills < SERVER_KILLS; kills++) {
      const killed = await servers.start(home);
      const clients = runClients(killed, Infinity, record);
      await sleep(3000 + random() * 3000); // any moment will do
      await killed.kill();
      await clients;
      expect(await noneLeft(home)).toBe(true);
    }

    const server = await servers.start(home);
    const until = monotonicMs() + SOAK_MS;
    const clients = runClients(server, until, record);
    const samples: number[] = [];
    let chromeKills = 0;
    let nextFaultAt = monotonicMs() + 4000;
    for (let faults = 0; monotonicMs() < until; await sleep(250)) {
      samples.push((await server.cost()).mib);
      if (monotonicMs() < nextFaultAt) continue;
      if (faults++ % 2 === 1 && isSmall) await fillDisk(home, server, record);
      else if (await killChrome(server)) chromeKills++;
      nextFaultAt = monotonicMs() + 4000 + random() * 4000;
    }
    await clients;

    const { second, last } = compareQuarters(samples);
    const { handles, tasks, answered, succeeded, notStored } = record;
    const sizes = {
      answered,
      succeeded,
      notStored,
      handles: handles.size,
      tasks: tasks.size,
      chromeKills,
      isSmall,
      second,
      last,
    };
    process.stdout.write(`soak: ${JSON.stringify(sizes)}\n`);
    expect(record.faults).toEqual([]);
    expect(server.stderr()).not.toMatch(/unexpected|unhandled/i);
    expect(chromeKills).toBeGreaterThan(1);
    expect(succeeded).toBeGreaterThan(answered / 4);
    expect(handles.size).toBeGreaterThan(5);
    expect(tasks.size).toBeGreaterThan(5);
    if (isSmall) expect(notStored).toBeGreaterThan(0);
    expect(last).toBeLessThan(second * MEMORY_GROWTH);

    const summarised = await server.call('oc_journal', { action: 'summary' });
    expect(summarised).toMatchObject({ kind: 'ok' });
    const summary = JSON.parse(summarised.text) as {
      calls: number;
      lost: number;
    };
    // only a full disk loses lines, and they are counted
    expect(summary.calls + summary.lost).toBeGreaterThanOrEqual(answered);
    if (!isSmall) expect(summary.lost).toBe(0);
    await server.stop();
    expect(await noneLeft(home)).toBe(true);

    const after = await servers.start(home);
    const lost: Outcome[] = [];
    for (const [handle, session] of handles) {
      const args = { output_handle: handle, limit: 100 };
      const fetched = await after.call('oc_output_fetch', args, session);
      if (fetched.kind !== 'ok') lost.push(fetched);
    }
    expect(lost).toEqual([]);
    for (const task of tasks) {
      const { text } = await after.call('oc_task_get', { task_id: task });
      expect(text, task).toMatch(/"status":\s*"(?:COMPLETED|FAILED|CANCELLED)"/);
    }
    const kept = JSON.parse((await after.call('oc_journal', { action: 'summary' })).text) as {
      calls: number;
    };
    expect(kept.calls).toBeGreaterThanOrEqual(summary.calls);
    await after.stop();
    expect(await noneLeft(home)).toBe(true);
  },
);
