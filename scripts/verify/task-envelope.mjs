// Verifies the contract of task envelopes, point by point, against real servers, kill -9 included.
// Non-zero when a point fails.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newHome, removeHome, startSite } from './ground.mjs';
import { check, point, same, verdict } from './points.mjs';
import { startServer } from './server.mjs';

const ID = /^[0-9a-f]{16}$/;
const CLIENTS = 8;
const CALLS = 500;

const PAGES = {
  '/': '<!doctype html><title>Start</title><h1>Start</h1><button>Idle</button>',
  '/login':
    '<!doctype html><title>Sign in</title><form><input name="user"><input type="password"><button>Sign in</button></form>',
};

const site = await startSite((request, response) =>
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(PAGES[request.url] ?? '<!doctype html><title>Page</title>'),
);
const home = newHome();
const onDisk = (id, file) => readFileSync(path.join(home, 'tasks', id, file), 'utf8');

const serve = async () => {
  const server = await startServer([], home);
  /** The failure, or nothing, and the notes of a call. */
  const tried = async (name, args) => {
    const { content, isError } = await server.rpc('tools/call', { name, arguments: args });
    const notes = content.slice(1).flatMap(({ text }) => (text === undefined ? [] : [text]));
    return { error: isError ? JSON.parse(content[0].text).error : undefined, notes };
  };
  return {
    ...server,
    tried,
    start: async (policy = {}, more = {}) =>
      (await server.json('oc_task_start', { objective: 'verify', policy, ...more })).task_id,
    get: (id) => server.json('oc_task_get', { task_id: id }),
    /** What looks and what acts without any Chrome. */
    look: (id, more = {}) => tried('expand_tools', { query: 'tabs', taskId: id, ...more }),
    act: (id, more = {}) => tried('oc_connection_health', { taskId: id, ...more }),
    fail: (id) => tried('oc_output_fetch', { output_handle: 'oh_AAAAAAAAAAAA', taskId: id }),
  };
};

let server = await serve();

await point('a task without a kind runs at once, with the usual limits', async () => {
  const started = await server.json('oc_task_start', { objective: 'Find the invoice' });
  same(Object.keys(started), ['task_id', 'status', 'kind'], 'the reply');
  check(
    ID.test(started.task_id) && started.status === 'RUNNING' && started.kind === 'browser_task',
    JSON.stringify(started),
  );
  const shown = await server.get(started.task_id);
  for (const field of [
    'meta',
    'objective',
    'phase',
    'policy',
    'counters',
    'budget_status',
    'budget_exceeded',
    'budget_warnings',
    'signals',
    'recent_events',
  ])
    check(shown[field] !== undefined, `there is no ${field}`);
  check(
    shown.phase === 'explore' && shown.budget_status === 'ok' && !('recommended_next' in shown),
    JSON.stringify(shown),
  );
  const {
    maxConsecutiveSameTool,
    maxObservationStreak,
    maxFailureStreak,
    maxSameUrlNavigations,
    enforce,
  } = shown.policy;
  same(
    [
      maxConsecutiveSameTool,
      maxObservationStreak,
      maxFailureStreak,
      maxSameUrlNavigations,
      enforce,
    ],
    [5, 6, 4, 3, false],
    'the policy',
  );
});

/** Sets one count to a value, and no other. */
const FREE = {
  maxConsecutiveSameTool: 10_000,
  maxObservationStreak: 10_000,
  maxFailureStreak: 10_000,
  maxSameUrlNavigations: 10_000,
};
const BUDGETS = {
  maxToolCalls: (id, i) => (i % 2 ? server.look(id) : server.act(id)),
  maxConsecutiveSameTool: (id) => server.act(id),
  maxObservationStreak: (id) => server.look(id),
  maxFailureStreak: (id) => server.fail(id),
  maxSameUrlNavigations: (id, i) =>
    server.tried('navigate', { url: `${site.origin}/page#${i}`, taskId: id }),
};

for (const [field, call] of Object.entries(BUDGETS))
  await point(
    `${field}: ok, a warning from three quarters on, exceeded beyond the limit, each told once`,
    async () => {
      const limit = 4;
      const id = await server.start({ ...FREE, [field]: limit });
      const told = [];
      for (let i = 1; i <= limit + 2; i++) {
        const { notes } = await call(id, i);
        told.push(notes.some((note) => note.startsWith(`[task ${id}: `)));
        const shown = await server.get(id);
        const status = i > limit ? 'exceeded' : i >= 3 ? 'warning' : 'ok';
        check(shown.budget_status === status, `${shown.budget_status} after ${i}`);
        same(shown.budget_exceeded, i > limit ? [field] : [], 'budget_exceeded');
        same(shown.budget_warnings, i >= 3 && i <= limit ? [field] : [], 'budget_warnings');
        const next = { exceeded: 'change_strategy_or_verify', warning: 'checkpoint_or_verify' }[
          status
        ];
        check(shown.recommended_next === next, `recommended_next ${shown.recommended_next}`);
      }
      same(told, [false, false, true, false, true, false], 'notes');
    },
  );

await point('maxWallMs is read at the time of asking', async () => {
  const id = await server.start({ maxWallMs: 300 });
  check((await server.get(id)).budget_status === 'ok', 'not ok at first');
  await new Promise((resolve) => setTimeout(resolve, 320));
  same((await server.get(id)).budget_exceeded, ['maxWallMs'], 'after it');
});

await point('the seventh observation in a row is told in the words of the contract', async () => {
  const id = await server.start({ maxConsecutiveSameTool: 100 });
  let last;
  for (let i = 0; i < 7; i++) last = await server.look(id);
  check(
    last.notes.includes(`[task ${id}: observation streak 7/6, change strategy or verify]`),
    JSON.stringify(last.notes),
  );
});

await point('checkpointEveryCalls recommends a checkpoint every so many calls', async () => {
  const id = await server.start({ checkpointEveryCalls: 2 });
  const next = [];
  for (const call of [server.look, server.act, server.look, server.act]) {
    await call(id);
    next.push((await server.get(id)).recommended_next ?? null);
  }
  same(next, [null, 'checkpoint_or_verify', null, 'checkpoint_or_verify'], 'recommended_next');
});

await point(
  'enforce refuses what is over a hard limit, with the counters, and records nothing of it',
  async () => {
    const id = await server.start({ maxToolCalls: 5, enforce: true });
    const tries = await Promise.all(Array.from({ length: 20 }, () => server.act(id)));
    const refused = tries.flatMap(({ error }) => error ?? []);
    check(
      refused.length === 15 &&
        refused.every(({ code, counters }) => code === 'budget_exceeded' && counters),
      JSON.stringify(refused[0]),
    );
    check((await server.get(id)).counters.toolCalls === 5, 'they were counted');
    const late = await server.start({ maxWallMs: 1, enforce: true });
    await new Promise((resolve) => setTimeout(resolve, 5));
    check((await server.look(late)).error?.code === 'budget_exceeded', 'the clock');
  },
);

await point('without enforce nothing is ever refused', async () => {
  const id = await server.start({ maxToolCalls: 1, maxWallMs: 1, maxObservationStreak: 1 });
  for (let i = 0; i < 5; i++) check(!(await server.look(id)).error, 'refused');
});

await point(
  'what calls met is summed up, and what their replies cost is known by tool',
  async () => {
    const id = await server.start();
    const call = (name, args) => server.tried(name, { ...args, taskId: id });
    await call('navigate', { url: `${site.origin}/` });
    await call('interact', { action: 'hover', query: 'Start' });
    await call('computer', { action: 'screenshot' });
    await call('interact', { action: 'click', ref: 'e9999' });
    await call('wait_for', { text: 'never', timeout_ms: 200 });
    await call('navigate', { url: `${site.origin}/login` });
    const { signals, counters, reply_tokens: tokens } = await server.get(id);
    check(
      signals.noEffect === 1 && signals.timeouts === 1 && signals.loginWalls === 1,
      JSON.stringify(signals),
    );
    check(counters.observationCalls === 1 && counters.actionCalls === 5, JSON.stringify(counters));
    check(tokens.total > 300 && tokens.perTool.computer > 300, JSON.stringify(tokens));
    return `${tokens.total} tokens`;
  },
);

await point('a call with an unknown or ended task still runs and says so', async () => {
  const ended = await server.start();
  await server.json('oc_task_finish', { task_id: ended, outcome: 'completed' });
  for (const id of ['0123456789abcdef', 'nonsense', ended]) {
    const { error, notes } = await server.look(id);
    check(
      !error && notes.some((note) => note.startsWith('[task_not_recorded: ')),
      `${id}: ${JSON.stringify(notes)}`,
    );
  }
});

await point('update and finish, and what they refuse', async () => {
  const id = await server.start();
  await server.json('oc_task_update', { task_id: id, phase: 'verify', note: 'nearly there' });
  check((await server.get(id)).phase === 'verify', 'the phase');
  const { status, phase } = await server.json('oc_task_finish', {
    task_id: id,
    outcome: 'failed',
    note: 'it is gone',
  });
  check(status === 'FAILED' && phase === 'done', `${status} ${phase}`);
  const job = (
    await server.json('oc_task_start', { kind: 'crawl', args: { url: site.origin, max_pages: 1 } })
  ).task_id;
  const cases = [
    ['oc_task_update', { task_id: id, note: 'x' }, 'task_already_ended'],
    ['oc_task_finish', { task_id: id, outcome: 'completed' }, 'task_already_ended'],
    ['oc_task_update', { task_id: job, note: 'x' }, 'not_an_envelope'],
    ['oc_task_finish', { task_id: job, outcome: 'completed' }, 'not_an_envelope'],
    ['oc_task_update', { task_id: id, note: 'x'.repeat(501) }, 'invalid_argument'],
    ['oc_task_start', {}, 'invalid_argument'],
    ['oc_task_start', { objective: 'x', policy: { maxCalls: 1 } }, 'invalid_argument'],
  ];
  for (const [name, args, code] of cases) same((await server.failure(name, args)).code, code, name);
});

await point('cancel ends it at once; wait hears of an end, from another process too', async () => {
  const other = await serve();
  const [mine, theirs] = [await server.start(), await server.start()];
  same((await server.json('oc_task_cancel', { task_id: mine })).status, 'CANCELLED', 'cancel');
  const waiting = other.json('oc_task_wait', { task_id: theirs, timeout_ms: 20_000 });
  await server.json('oc_task_finish', { task_id: theirs, outcome: 'completed' });
  const { status, ended_at: endedAt } = await waiting;
  const late = Date.now() - endedAt;
  check(status === 'COMPLETED' && late < 500, `${status} after ${late} ms`);
  await other.stop();
  return `${late} ms`;
});

await point('without taskId the reply is the same as ever', async () => {
  const id = await server.start({ maxToolCalls: 1 });
  await server.act(id);
  const plain = await server.call('expand_tools', { query: 'tabs' });
  const recorded = await server.call('expand_tools', { query: 'tabs', taskId: id });
  check(
    plain.text === recorded.text && plain.notes.length === 0,
    'the first block differs, or there is a note',
  );
  check(recorded.notes.length === 1, `notes: ${JSON.stringify(recorded.notes)}`);
});

await point(
  `${CALLS} calls of ${CLIENTS} parallel clients on one task are all counted`,
  async () => {
    const id = await server.start(FREE);
    let left = CALLS;
    const from = performance.now();
    const client = async () => {
      while (left > 0) await (left-- % 2 ? server.look(id) : server.act(id));
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const took = performance.now() - from;
    const { counters } = await server.get(id);
    same(
      [counters.toolCalls, counters.actionCalls, counters.observationCalls],
      [CALLS, CALLS / 2, CALLS / 2],
      'counters',
    );
    const bare = performance.now();
    left = CALLS;
    const unrecorded = async () => {
      while (left > 0)
        await server.rpc('tools/call', {
          name: left-- % 2 ? 'expand_tools' : 'oc_connection_health',
          arguments: left % 2 ? {} : { query: 'tabs' },
        });
    };
    await Promise.all(Array.from({ length: CLIENTS }, unrecorded));
    return `${(took / CALLS).toFixed(2)} ms each, ${((performance.now() - bare) / CALLS).toFixed(2)} ms without a task`;
  },
);

await point(
  '200 calls through two processes on one home are all counted, and both say the same',
  async () => {
    const other = await serve();
    const id = await server.start(FREE);
    await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? server : other).look(id)));
    const shown = [await server.get(id), await other.get(id)];
    same(shown[0].counters.toolCalls, 200, 'toolCalls');
    same(shown[1], shown[0], 'the other server');
    await other.stop();
  },
);

await point('kill -9 loses no call that was answered, and the envelope runs on', async () => {
  const id = await server.start(FREE);
  const answers = [];
  const calls = Array.from({ length: 100 }, () =>
    server.look(id).then((answer) => answers.push(answer)),
  );
  void Promise.allSettled(calls); // those on the way when it is killed are never answered
  while (answers.length < 30) await new Promise((resolve) => setTimeout(resolve, 1));
  await server.kill();
  const answered = answers.length;
  server = await serve();
  const { meta, counters } = await server.get(id);
  check(
    meta.status === 'RUNNING' && counters.toolCalls >= answered,
    `${meta.status}, ${counters.toolCalls} of ${answered}`,
  );
  const told = onDisk(id, 'events.jsonl')
    .split('\n')
    .filter((line) => line.includes('"tool_call"')).length;
  check(counters.toolCalls === told, `the history tells of ${told}`);
  return `${counters.toolCalls} counted, ${answered} answered`;
});

await point('the tools of tasks start no Chrome', async () => {
  await server.stop();
  server = await serve();
  const id = await server.start();
  await server.json('oc_task_update', { task_id: id, phase: 'verify' });
  await server.json('oc_task_list');
  await server.json('oc_task_finish', { task_id: id, outcome: 'completed' });
  await server.json('oc_task_wait', { task_id: id });
  same((await server.json('oc_connection_health')).starts, 0, 'starts of Chrome');
});

await point('allowedDomains narrows where calls of the task may go', async () => {
  const id = await server.start({ allowedDomains: ['example.com'] });
  const { error } = await server.tried('navigate', { url: `${site.origin}/`, taskId: id });
  same(error?.code, 'domain_not_allowed', 'code');
  check(
    !(await server.tried('navigate', { url: `${site.origin}/` })).error,
    'other calls are refused too',
  );
  same((await server.get(id)).counters.failureCalls, 1, 'failureCalls');
});

await server.stop();
site.close();
removeHome(home);
verdict();
