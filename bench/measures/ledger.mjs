// The task ledger with 10,000 tasks in it: starting up, listing, starting one, and waiting for one
// that another process runs.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';
import { startMcpServer } from '../lib/mcp-server.mjs';
import { median, ms } from '../lib/stats.mjs';

const TASKS = 10_000;
/** Left behind by a process that is dead, each with a hundred lines that become its result. */
const ORPHANS = 100;
const WAIT_MS = 10_000;
const DEAD_PID = 2 ** 22 - 1;

const plant = (root, i) => {
  const createdAt = Date.now() - (TASKS - i) * 1000;
  const id = `${createdAt.toString(16).padStart(11, '0')}${i.toString(16).padStart(5, '0')}`;
  const orphan = i % (TASKS / ORPHANS) === 0;
  const meta = {
    task_id: id,
    kind: 'counts',
    status: orphan ? 'RUNNING' : i % 7 ? 'COMPLETED' : 'FAILED',
    session: 'default',
    pid: DEAD_PID,
    process_started_at: 1,
    created_at: createdAt,
    started_at: createdAt,
    ...(orphan ? {} : { ended_at: createdAt + 500 }),
    args_summary: { url: `https://example.test/${i}`, max_pages: 100 },
    progress: { done: 100, total: 100, message: `https://example.test/${i}/100` },
  };
  const folder = join(root, id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'meta.json'), JSON.stringify(meta));
  writeFileSync(join(folder, 'events.jsonl'), `{"ts":${createdAt},"kind":"started"}\n`);
  if (orphan)
    writeFileSync(
      join(folder, 'numbers.jsonl'),
      Array.from({ length: 100 }, (_, n) => `{"n":${n + 1}}\n`).join(''),
    );
};

const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const timed = async (server, reps, name, args) => {
  const took = [];
  for (let i = 0; i < reps; i++) took.push(await server.timed(name, args));
  return median(took);
};

const start = async (server, args) =>
  JSON.parse(await server.call('oc_task_start', { kind: 'counts', args })).task_id;

/** From the end in one process to the answer in the other. */
const lateness = async (runner, waiter, reps) => {
  const late = [];
  for (let i = 0; i < reps; i++) {
    const id = await start(runner, { to: 20, unit_ms: 10 });
    const { ended_at: endedAt } = JSON.parse(await waiter.call('oc_task_wait', { task_id: id }));
    late.push(Date.now() - endedAt);
  }
  return Math.max(...late);
};

/**
 * What ten seconds of waiting cost beside the same call that ends at once: the call itself is no
 * waiting.
 */
const waitingCpu = async (runner, waiter) => {
  const { pid } = JSON.parse(await waiter.call('oc_connection_health')).server;
  const id = await start(runner, { to: 1, hang_at: 1 });
  const cpuOf = async (timeout_ms) => {
    const from = cpuMs(pid);
    await waiter.call('oc_task_wait', { task_id: id, timeout_ms }).catch(() => {});
    // equally long, so that the idle server's own cost is in both
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS - timeout_ms));
    return cpuMs(pid) - from;
  };
  const atOnce = await cpuOf(1);
  const waits = [];
  // Some seconds after much work V8 tidies its heap, once: that is no waiting either, and shows in
  // one of these.
  for (let i = 0; i < 5; i++) waits.push(await cpuOf(WAIT_MS));
  const waiting = median(waits);
  await runner.call('oc_task_cancel', { task_id: id });
  return { atOnce, waiting };
};

export const ledger = async ({ reps }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-ledger-'));
  const root = (process.env.OPENCHROME_TASK_ROOT = join(folder, 'tasks'));
  for (let i = 0; i < TASKS; i++) plant(root, i);
  const file = join(folder, 'server', 'task-server.mjs');
  await bundle({
    entryPoints: ['tests/tasks/task-server.ts'],
    outdir: join(folder, 'server'),
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  const [runner, waiter] = [await startMcpServer([file]), await startMcpServer([file])];
  const reaping = await runner.timed('oc_task_list');
  const again = await waiter.timed('oc_task_list');
  const list = await timed(runner, reps * 5, 'oc_task_list');
  const filtered = await timed(runner, reps * 5, 'oc_task_list', {
    status: ['PENDING', 'RUNNING'],
  });
  const starting = await timed(runner, reps * 5, 'oc_task_start', {
    kind: 'counts',
    args: { to: 1 },
  });
  const late = await lateness(runner, waiter, reps);
  const { atOnce, waiting } = await waitingCpu(runner, waiter);
  await runner.end();
  await waiter.end();
  delete process.env.OPENCHROME_TASK_ROOT;
  rmSync(folder, { recursive: true, force: true });
  return [
    [
      `first answer among ${TASKS} tasks, ${ORPHANS} of them orphans`,
      '',
      '',
      ms(reaping),
      '',
      'under 2 s',
    ],
    ['first answer of a second server', '', '', ms(again), '', 'under 2 s'],
    ['oc_task_list', '', '', ms(list), '', 'under 100 ms'],
    ['oc_task_list, those that run', '', '', ms(filtered), '', 'under 100 ms'],
    ['oc_task_start', '', '', ms(starting), '', 'under 20 ms'],
    [
      'oc_task_wait, latest answer after an end in another process',
      '',
      '',
      ms(late),
      '',
      'under 200 ms',
    ],
    [
      'CPU of 10 s of waiting, median of 5',
      'the same call that ends at once',
      ms(atOnce),
      ms(waiting),
      '',
      'not measurable',
    ],
  ];
};
