// Hand-offs when a server ends like in a power cut: no question is left, and others stay open.
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
}

const listWaiting = async (
  { origin }: DashboardServer,
  headers: ViewerHeaders,
): Promise<readonly Row[]> => {
  const { text } = await send(origin, '/dashboard/state', { headers });
  return (JSON.parse(text) as { waiting: readonly Row[] }).waiting;
};

const finish = ({ origin }: DashboardServer, access: ViewerHeaders, id: string) => {
  const headers = { ...access, 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'finish-handoff', id, outcome: 'done' });
  return send(origin, '/dashboard/action', { method: 'POST', headers, body });
};

const readTask = async (server: DashboardServer, task_id: string): Promise<unknown> =>
  (JSON.parse(await server.call('oc_task_get', { task_id })) as { meta: unknown }).meta;

it('a hand-off of another server stays open when the server of the dashboard is killed', async () => {
  const [agent, viewed] = [await start(), await start()];
  const access = await takeAccess(viewed.url);
  const task = await askForHelp(agent, 'Enter the code');
  await expect
    .poll(() => listWaiting(viewed, access))
    .toMatchObject([{ text: 'Enter the code', elsewhere: true }]);
  await viewed.kill();
  const again = await start(viewed.port);
  const [open] = await listWaiting(again, access);
  expect(open).toMatchObject({ text: 'Enter the code', elsewhere: true });
  expect(await finish(again, access, open?.id ?? '')).toMatchObject({ status: 200 });
  await agent.call('oc_task_wait', { task_id: task, timeout_ms: 20_000 });
  expect(await readTask(again, task)).toMatchObject({ status: 'COMPLETED' });
  await Promise.all([agent.stop(), again.stop()]);
});

it('a hand-off whose own server is killed ends as a failed task, and a new one works', async () => {
  const first = await start();
  const access = await takeAccess(first.url);
  const task = await askForHelp(first, 'Enter the old code');
  await expect.poll(() => listWaiting(first, access)).toHaveLength(1);
  const [old] = await listWaiting(first, access);
  await first.kill();
  const second = await start(first.port);
  expect(await listWaiting(second, access)).toEqual([]);
  expect(await finish(second, access, old?.id ?? '')).toMatchObject({ status: 404 });
  expect(await readTask(second, task)).toMatchObject({ status: 'FAILED' });
  const next = await askForHelp(second, 'Enter the new code');
  await expect.poll(() => listWaiting(second, access)).toHaveLength(1);
  const [open] = await listWaiting(second, access);
  expect(await finish(second, access, open?.id ?? '')).toMatchObject({ status: 200 });
  await second.call('oc_task_wait', { task_id: next, timeout_ms: 20_000 });
  expect(await readTask(second, next)).toMatchObject({ status: 'COMPLETED' });
});
