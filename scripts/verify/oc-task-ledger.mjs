// Verifies the contract of the task ledger, point by point, against real servers, kill -9 included.
// Non-zero when a point fails. Works on crawls of a site of its own; `--kind counts` with
// OPENCHROME_VERIFY_SERVER for the server of tests/tasks.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { newHome, removeHome, startSite } from './ground.mjs';
import { check, point, verdict } from './points.mjs';
import { startServer } from './server.mjs';

const { values: options } = parseArgs({ options: { kind: { type: 'string', default: 'crawl' } } });
const ID = /^[0-9a-f]{16}$/;
const SERVERS = 4;
const EACH = 100;

/**
 * /quick/N answers at once, /slow/N after a while; every page leads to the next one. /sitemap.xml
 * lists one of them.
 */
const answer = (request, response) => {
  if (request.url === '/sitemap.xml') {
    response.end(`<urlset><url><loc>http://${request.headers.host}/quick/7</loc></url></urlset>`);
    return;
  }
  const [, speed, page] = /^\/(quick|slow)\/(\d+)$/.exec(request.url) ?? [];
  const html = `<!doctype html><title>Page ${page}</title><p>Page ${page}</p><a href="/${speed}/${Number(page) + 1}">next</a>`;
  const send = () =>
    response
      .writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      .end(page ? html : 'not found');
  setTimeout(send, speed === 'slow' ? 60 : 0);
};

/** The same work in the words of each kind: `units` is what a result holds of it. */
const works = (origin) => ({
  crawl: {
    quick: { url: `${origin}/quick/1`, max_pages: 3, max_depth: 5 },
    slow: { url: `${origin}/slow/1`, max_pages: 500, max_depth: 500 },
    failing: { url: `${origin}/quick/1`, max_pages: 9, max_depth: 9, failOnPage: 3 },
    units: ({ pages }) => pages.map(({ url, content }) => `${url} ${content}`),
  },
  counts: {
    quick: { to: 3 },
    slow: { to: 1_000_000, unit_ms: 30 },
    failing: { to: 9, fail_at: 3 },
    units: ({ numbers }) => numbers,
  },
});

const site = await startSite(answer);
const work = works(site.origin)[options.kind];
const home = newHome();
const folderOf = (id) => path.join(home, 'tasks', id);
const metaOnDisk = (id) => JSON.parse(readFileSync(path.join(folderOf(id), 'meta.json'), 'utf8'));
const eventsOnDisk = (id) =>
  readFileSync(path.join(folderOf(id), 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind);

const serve = async () => {
  const server = await startServer([], home, { OPENCHROME_FAULTS: '1' });
  const start = async (args) =>
    (await server.json('oc_task_start', { kind: options.kind, args })).task_id;
  const get = (id, args = {}) => server.json('oc_task_get', { task_id: id, ...args });
  return {
    ...server,
    start,
    get,
    wait: (id, timeoutMs = 60_000) =>
      server.json('oc_task_wait', { task_id: id, timeout_ms: timeoutMs }),
    cancel: (id) => server.json('oc_task_cancel', { task_id: id }),
    units: async (id) =>
      work.units((await get(id, { include_result: true, output_mode: 'inline' })).result),
    /** Starts slow work and waits until some of it is done. */
    startSlow: async () => {
      const id = await start(work.slow);
      for (;;) {
        const { meta } = await get(id);
        if ((meta.progress?.done ?? 0) >= 3) return id;
        check(
          meta.status === 'RUNNING' || meta.status === 'PENDING',
          `it ended: ${JSON.stringify(meta.error)}`,
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
};

let server = await serve();

await point('a start answers at once, and the task ends by itself', async () => {
  const from = performance.now();
  const started = await server.json('oc_task_start', { kind: options.kind, args: work.quick });
  const took = performance.now() - from;
  check(Object.keys(started).join() === 'task_id,status,kind', JSON.stringify(started));
  check(
    ID.test(started.task_id) && ['PENDING', 'RUNNING'].includes(started.status),
    JSON.stringify(started),
  );
  const meta = await server.wait(started.task_id);
  check(meta.status === 'COMPLETED', JSON.stringify(meta));
  return `${took.toFixed(1)} ms`;
});

await point('the direct call brings the same payload and leaves no row', async () => {
  const before = (await server.json('oc_task_list')).count;
  const direct = work.units(await server.json(options.kind, work.quick));
  check((await server.json('oc_task_list')).count === before, 'it left a row');
  const id = await server.start(work.quick);
  await server.wait(id);
  check(JSON.stringify(await server.units(id)) === JSON.stringify(direct), 'the payloads differ');
});

/** What a result of each kind must hold. */
const KINDS = (origin) => ({
  crawl: [
    { url: `${origin}/quick/1`, max_pages: 1 },
    ({ summary, pages }) => pages.length === 1 && summary.stop_reason === 'max_pages',
  ],
  crawl_sitemap: [
    { url: origin },
    ({ summary, pages }) => pages[0].title === 'Page 7' && summary.stop_reason === 'completed',
  ],
  recording: [
    { duration_ms: 300 },
    ({ files, summary }) => files.length === 4 && summary.dom_events > 0,
  ],
  oc_evidence_bundle: [
    {},
    ({ parts }) => parts.length === 8 && parts.every(({ sha256 }) => sha256?.length === 64),
  ],
  oc_session_snapshot: [
    { objective: 'verify' },
    ({ id, tabs }) => id.startsWith('snap_') && tabs === 1,
  ],
});

if (options.kind === 'crawl')
  await point('every kind works as a task and when it is called directly', async () => {
    const { known } = await server.failure('oc_task_start', { kind: 'nothing' });
    const kinds = KINDS(site.origin);
    check(Object.keys(kinds).join() === known.join(), known.join());
    await server.json('navigate', { url: `${site.origin}/quick/1` });
    for (const [kind, [args, holds]] of Object.entries(kinds)) {
      const { task_id: id } = await server.json('oc_task_start', { kind, args });
      const meta = await server.wait(id);
      check(meta.status === 'COMPLETED', `${kind}: ${JSON.stringify(meta.error)}`);
      const { result } = await server.get(id, { include_result: true, output_mode: 'inline' });
      check(holds(result), `${kind} as a task: ${JSON.stringify(result).slice(0, 300)}`);
      const direct = await server.json(kind, args);
      check(holds(direct), `${kind} called directly: ${JSON.stringify(direct).slice(0, 300)}`);
    }
  });

await point(
  'the folder holds the row, the history and the result, for their owner alone',
  async () => {
    const id = await server.start({ ...work.quick });
    const { result_path: resultPath } = await server.wait(id);
    const meta = metaOnDisk(id);
    for (const field of [
      'task_id',
      'kind',
      'status',
      'session',
      'pid',
      'process_started_at',
      'created_at',
      'started_at',
      'ended_at',
      'args_summary',
      'progress',
    ])
      check(meta[field] !== undefined, `there is no ${field}`);
    check(Buffer.byteLength(JSON.stringify(meta.args_summary)) <= 2048, 'args_summary is too long');
    check(
      resultPath === path.join(folderOf(id), 'result.json') &&
        work.units(JSON.parse(readFileSync(resultPath, 'utf8'))).length === 3,
      resultPath,
    );
    const history = eventsOnDisk(id);
    check(
      history[0] === 'started' && history.at(-1) === 'completed' && history.includes('progress'),
      history.join(),
    );
    if (process.platform === 'win32') return;
    check((statSync(folderOf(id)).mode & 0o777) === 0o700, 'the folder is open to others');
    for (const name of readdirSync(folderOf(id)))
      check(
        (statSync(path.join(folderOf(id), name)).mode & 0o777) === 0o600,
        `${name} is open to others`,
      );
  },
);

await point('what is wrong is told in structured failures', async () => {
  const cases = [
    { name: 'oc_task_start', args: { kind: 'nothing' }, code: 'unknown_task_kind' },
    { name: 'oc_task_start', args: { kind: 'oc_task_list' }, code: 'unknown_task_kind' },
    {
      name: 'oc_task_start',
      args: { kind: options.kind, args: { nothing: 1 } },
      code: 'invalid_argument',
    },
    { name: 'oc_task_get', args: { task_id: '../../etc' }, code: 'invalid_task_id' },
    { name: 'oc_task_wait', args: { task_id: '0123456789abcdef' }, code: 'task_not_found' },
    { name: 'oc_task_cancel', args: { taskId: '0123456789abcdef' }, code: 'task_not_found' },
  ];
  for (const { name, args, code } of cases) {
    const error = await server.failure(name, args);
    check(error.code === code, `${name} ${JSON.stringify(args)}: ${error.code}`);
    if (code === 'unknown_task_kind')
      check(error.known.includes(options.kind), `known: ${error.known}`);
  }
});

await point('a cancelled task is CANCELLED within 2 s and keeps what was done', async () => {
  const id = await server.startSlow();
  const from = performance.now();
  const meta = await server.cancel(id);
  const took = performance.now() - from;
  check(meta.status === 'CANCELLED' && took < 2000, `${meta.status} after ${took} ms`);
  check((await server.units(id)).length >= 3, 'the result is missing');
  check(
    JSON.stringify(await server.cancel(id)) === JSON.stringify(meta),
    'a second cancel changed it',
  );
  return `${took.toFixed(0)} ms`;
});

await point('work that throws fails with its partial result and leaves no lock', async () => {
  const id = await server.start(work.failing);
  const meta = await server.wait(id);
  check(meta.status === 'FAILED' && meta.error.code, JSON.stringify(meta));
  check((await server.units(id)).length === 2, 'the partial result is missing');
  check(!readdirSync(folderOf(id)).includes('lock'), 'a lock was left');
  return meta.error.code;
});

await point('waiting longer than asked is task_wait_timeout', async () => {
  const id = await server.startSlow();
  check(
    (await server.failure('oc_task_wait', { task_id: id, timeout_ms: 100 })).code ===
      'task_wait_timeout',
    'another code',
  );
  await server.cancel(id);
});

await point('a large result obeys output_mode', async () => {
  const id = await server.start(work.quick);
  await server.wait(id);
  const descriptor = await server.get(id, { include_result: true, output_mode: 'handle' });
  check(
    descriptor.output_handle && descriptor.fetch_with === 'oc_output_fetch',
    JSON.stringify(descriptor),
  );
});

await point('the list is newest first and knows status, kind, limit and since', async () => {
  const { tasks, count } = await server.json('oc_task_list');
  const times = tasks.map((task) => task.created_at);
  check(
    count === tasks.length && times.every((time, i) => i === 0 || time <= times[i - 1]),
    'the order',
  );
  check(
    (await server.json('oc_task_list', { status: 'CANCELLED' })).tasks.every(
      ({ status }) => status === 'CANCELLED',
    ),
    'status',
  );
  check(
    (
      await server.json('oc_task_list', {
        status: ['FAILED', 'CANCELLED'],
        kind: options.kind,
        limit: 2,
      })
    ).count === 2,
    'limit',
  );
  check((await server.json('oc_task_list', { kind: 'browser_task' })).count === 0, 'kind');
  check((await server.json('oc_task_list', { since: times[1] })).count === 2, 'since');
});

await point(
  'two servers on one home do not disturb each other, and tell each other of an end within 200 ms',
  async () => {
    const other = await serve();
    const mine = await server.startSlow();
    check((await other.get(mine)).meta.status === 'RUNNING', 'it was disturbed');
    const waiting = other.wait(mine);
    await server.cancel(mine);
    const { ended_at: endedAt } = await waiting;
    const late = Date.now() - endedAt;
    check(late < 200, `${late} ms`);
    const theirs = await server.startSlow();
    check((await other.cancel(theirs)).status === 'CANCELLED', 'a cancel from the other server');
    await other.stop();
    return `${late} ms`;
  },
);

await point('an orderly stop ends the work as engine_stopped, with what was done', async () => {
  const id = await server.startSlow();
  await server.stop();
  server = await serve();
  const { meta } = await server.get(id);
  check(meta.status === 'FAILED' && meta.error.code === 'engine_stopped', JSON.stringify(meta));
  check((await server.units(id)).length >= 3, 'the partial result is missing');
});

await point(
  'kill -9 leaves a task that the next server ends as orphaned, with what was done',
  async () => {
    const before = (await server.json('oc_task_list', { limit: 1000 })).count;
    const id = await server.startSlow();
    await server.kill();
    server = await serve();
    const { tasks, count } = await server.json('oc_task_list', { limit: 1000 });
    check(count === before + 1 && tasks[0].task_id === id, 'tasks were lost');
    check(
      tasks[0].status === 'FAILED' && tasks[0].error.code === 'orphaned',
      JSON.stringify(tasks[0]),
    );
    check((await server.units(id)).length >= 3, 'the partial result is missing');
  },
);

await point('a torn row is passed over, counted and left as it is', async () => {
  const id = await server.start(work.quick);
  await server.wait(id);
  const file = path.join(folderOf(id), 'meta.json');
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, 40));
  const { tasks, unreadable } = await server.json('oc_task_list', { limit: 1000 });
  check(
    unreadable === 1 && !tasks.some((task) => task.task_id === id),
    `unreadable: ${unreadable}`,
  );
  check(readFileSync(file).length === 40, 'it was touched');
  writeFileSync(file, whole);
});

const LEGAL = [
  'started completed',
  'started failed',
  'cancelled',
  'started cancelled',
  'started cancel_requested cancelled',
  'started cancel_requested completed',
];

await point(
  `${EACH} parallel starts, cancels and waits from ${SERVERS} processes lose nothing, tear nothing and take no illegal step`,
  async () => {
    const servers = [server, ...(await Promise.all(Array.from({ length: SERVERS - 1 }, serve)))];
    const from = performance.now();
    const ids = await Promise.all(
      servers.flatMap((each) => Array.from({ length: EACH }, () => each.start(work.quick))),
    );
    check(new Set(ids).size === SERVERS * EACH, 'two tasks have one name');
    const at = (i) => servers[i % SERVERS];
    await Promise.all(
      ids.flatMap((id, i) => [
        at(i + 1).wait(id, 600_000),
        i % 2 ? at(i + 2).cancel(id) : at(i + 3).get(id),
      ]),
    );
    const { tasks, unreadable } = await server.json('oc_task_list', { limit: 1000 });
    check(unreadable === undefined, `${unreadable} rows are torn`);
    const listed = new Set(tasks.map((task) => task.task_id));
    for (const id of ids) {
      check(listed.has(id), `${id} is lost`);
      const { status } = metaOnDisk(id);
      const history = eventsOnDisk(id).filter((kind) => kind !== 'progress' && kind !== 'log');
      check(
        LEGAL.includes(history.join(' ')) && history.at(-1) === status.toLowerCase(),
        `${id}: ${status} after ${history.join(' ')}`,
      );
      check(
        !readdirSync(folderOf(id)).some((name) => /lock|tmp/.test(name)),
        `${id}: a lock or a draft was left`,
      );
    }
    await Promise.all(servers.slice(1).map((each) => each.stop()));
    return `${((performance.now() - from) / 1000).toFixed(1)} s`;
  },
);

await server.stop();
site.close();
removeHome(home);
verdict();
