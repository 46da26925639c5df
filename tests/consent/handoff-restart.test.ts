// Hand-offs when a server ends like in a power cut: the next server continues them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type DashboardServer,
  makeHome,
  send,
  startDashboard,
  takeAccess,
  type ViewerHeaders,
} from '../dashboard/dashboard-server.ts';
import { useSite } from '../fixtures.ts';

const site = useSite({ '/': '<title>Log in</title><input name="code">' });
const ends: (() => Promise<void>)[] = [];
const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
let home = '';
beforeAll(async () => {
  home = await makeHome(onEnd);
});
afterAll(async () => {
  for (const end of ends) await end();
});

const start = (port = 0): Promise<DashboardServer> =>
  startDashboard({ home, port, onEnd, flags: ['--isolated'] });

const askForHelp = async (server: DashboardServer, reason: string): Promise<string> => {
  await server.call('navigate', { url: `${site.origin}/` });
  const args = { reason, timeout_ms: 600_000 };
  const started = await server.call('oc_task_start', { kind: 'oc_handoff', args });
  return (JSON.parse(started) as { task_id: string }).task_id;
};

interface Row {
  readonly id: string;
  readonly text: string;
  readonly interrupted?: true;
}

const listWaiting = async (
  { origin }: DashboardServer,
  headers: ViewerHeaders,
): Promise<readonly Row[]> => {
  const { text } = await send(origin, '/dashboard/state', { headers });
  return (JSON.parse(text) as { waiting: readonly Row[] }).waiting;
};

/** Sends an action of the viewer; resolves with the status of the response. */
const act = async (
  { origin }: DashboardServer,
  access: ViewerHeaders,
  action: object,
): Promise<number> => {
  const headers = { ...access, 'content-type': 'application/json' };
  const body = JSON.stringify(action);
  return (await send(origin, '/dashboard/action', { method: 'POST', headers, body })).status;
};

const finish = (server: DashboardServer, access: ViewerHeaders, id = ''): Promise<number> =>
  act(server, access, { type: 'finish-handoff', id, outcome: 'done' });

const readTask = async (server: DashboardServer, task_id: string): Promise<unknown> =>
  (JSON.parse(await server.call('oc_task_get', { task_id })) as { meta: unknown }).meta;

it('a hand-off of another server stays open when the server of the dashboard is killed', async () => {
  const [agent, viewed] = [await start(), await start()];
  const access = await takeAccess(viewed.url);
  const task = await askForHelp(agent, 'Enter the code');
  await expect
    .poll(() => listWaiting(viewed, access), { timeout: 20_000 })
    .toMatchObject([{ text: 'Enter the code', elsewhere: true }]);
  await viewed.kill();
  const again = await start(viewed.port);
  const [open] = await listWaiting(again, access);
  expect(open).toMatchObject({ text: 'Enter the code', elsewhere: true });
  expect(await finish(again, access, open?.id)).toBe(200);
  await agent.call('oc_task_wait', { task_id: task, timeout_ms: 20_000 });
  expect(await readTask(again, task)).toMatchObject({ status: 'COMPLETED' });
  await Promise.all([agent.stop(), again.stop()]);
});

/** A hand-off whose server is killed while it waits, and the next server of the same home. */
const interrupt = async (reason: string) => {
  const first = await start();
  const access = await takeAccess(first.url);
  const task = await askForHelp(first, reason);
  await expect
    .poll(() => listWaiting(first, access), { timeout: 20_000 })
    .toMatchObject([{ text: reason }]);
  await first.kill();
  const second = await start(first.port);
  const [open] = await listWaiting(second, access);
  return { second, access, task, open };
};

it('a hand-off whose own server is killed stays in the list, and the next server continues it', async () => {
  const { second, access, task, open } = await interrupt('Enter the code');
  expect(open).toMatchObject({ text: 'Enter the code', interrupted: true });
  expect(await finish(second, access, open?.id)).toBe(404);
  // The task ledger requires this: a task of a process that is gone has ended.
  expect(await readTask(second, task)).toMatchObject({
    status: 'FAILED',
    error: { code: 'orphaned' },
  });
  expect(await act(second, access, { type: 'continue-handoff', id: open?.id })).toBe(200);
  await expect
    .poll(() => listWaiting(second, access), { timeout: 20_000 })
    .toMatchObject([{ text: 'Enter the code', url: `${site.origin}/` }]);
  const [continued] = await listWaiting(second, access);
  expect(continued?.interrupted).toBeUndefined();
  expect(await second.call('tabs_context')).toContain('Log in');
  expect(await finish(second, access, continued?.id)).toBe(200);
  const { tasks } = JSON.parse(await second.call('oc_task_list', { kind: 'oc_handoff' })) as {
    tasks: readonly { task_id: string }[];
  };
  const next = tasks.find(({ task_id }) => task_id !== task)?.task_id ?? '';
  await second.call('oc_task_wait', { task_id: next, timeout_ms: 20_000 });
  expect(await readTask(second, next)).toMatchObject({ status: 'COMPLETED' });
  await second.stop();
});

it('a hand-off whose server was killed can be dismissed, once', async () => {
  const { second, access, open } = await interrupt('Enter the old code');
  expect(open).toMatchObject({ text: 'Enter the old code', interrupted: true });
  expect(await act(second, access, { type: 'dismiss-handoff', id: open?.id })).toBe(200);
  expect(await listWaiting(second, access)).toEqual([]);
  expect(await act(second, access, { type: 'continue-handoff', id: open?.id })).toBe(404);
});
