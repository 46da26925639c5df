// An envelope from its start to its end, through the tools of the ledger, without a browser.
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/pipeline/call.ts';
import type { TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import type { Failed } from '../tasks/task-servers.ts';
import { useEnvelopes } from './envelopes.ts';

const bench = useEnvelopes();
const { call, code, get, reply, start } = bench;
const engineCall = (name: string, args: unknown): Promise<Reply> =>
  bench.engine.call({ name, arguments: args });
const pathOf = (id: string, file: string): string => join(bench.home, 'tasks', id, file);

describe('an envelope', () => {
  it('is a task of the ledger that runs at once, with the defaults of its policy', async () => {
    const started = await call<Record<string, string>>('oc_task_start', {
      objective: 'Find the invoice',
    });
    expect(started).toEqual({
      task_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      status: 'RUNNING',
      kind: 'browser_task',
    });
    const id = started['task_id'] ?? '';
    expect(await get(id)).toEqual({
      meta: {
        task_id: id,
        kind: 'browser_task',
        status: 'RUNNING',
        session: 'default',
        pid: process.pid,
        process_started_at: expect.any(Number) as number,
        created_at: expect.any(Number) as number,
        started_at: expect.any(Number) as number,
        args_summary: {},
        objective: 'Find the invoice',
        phase: 'explore',
      },
      objective: 'Find the invoice',
      phase: 'explore',
      policy: {
        maxConsecutiveSameTool: 5,
        maxObservationStreak: 6,
        maxFailureStreak: 4,
        maxSameUrlNavigations: 3,
        enforce: false,
      },
      counters: {
        toolCalls: 0,
        actionCalls: 0,
        observationCalls: 0,
        failureCalls: 0,
        consecutiveSameTool: 0,
        observationStreak: 0,
        failureStreak: 0,
        sameUrlNavigations: {},
      },
      budget_status: 'ok',
      budget_exceeded: [],
      budget_warnings: [],
      signals: { staleRefs: 0, timeouts: 0, noEffect: 0, hints: 0, loginWalls: 0 },
      reply_tokens: { total: 0, perTool: {} },
      recent_events: [{ ts: expect.any(Number) as number, kind: 'started' }],
    });
  });

  it('records calls that name it, ok or failed, and shows the last ten events', async () => {
    const id = await start();
    for (let i = 0; i < 12; i++)
      await reply(i % 2 ? 'acts' : 'looks', {
        taskId: id,
        ...(i === 11 ? { code: 'stale_ref' } : {}),
      });
    const { counters, recent_events: events, signals } = await get(id);
    expect(counters).toMatchObject({
      toolCalls: 12,
      actionCalls: 6,
      observationCalls: 6,
      failureCalls: 1,
      failureStreak: 1,
    });
    expect(signals).toMatchObject({ staleRefs: 1 });
    expect(events).toHaveLength(10);
    expect(events.at(-1)).toEqual({
      ts: expect.any(Number) as number,
      kind: 'tool_call',
      data: {
        tool: 'acts',
        observation: false,
        ok: false,
        code: 'stale_ref',
        ms: expect.any(Number) as number,
        tokens: expect.any(Number) as number,
        met: expect.arrayContaining(['staleRefs']) as string[],
      },
    });
  });

  it('may be named task_id too', async () => {
    const id = await start();
    await reply('looks', { task_id: id });
    expect((await get(id)).counters.toolCalls).toBe(1);
  });

  it('does not record calls of the ledger itself', async () => {
    const [id, other] = [await start(), await start()];
    await call('oc_task_get', { taskId: id });
    await call('oc_task_list', { taskId: id });
    await call('oc_task_update', { taskId: id, note: 'x' });
    await call('oc_task_start', { objective: 'another', taskId: other });
    expect((await get(id)).counters.toolCalls).toBe(0);
    expect((await get(other)).counters.toolCalls).toBe(0);
  });

  it.each([
    ['an argument that there is not', { nonsense: 1 }],
    ['one of another type', { said: 5 }],
    ['a common one of another type', { timeout_ms: 'soon' }],
  ])('counts a call with %s as failed', async (_, wrong) => {
    const id = await start({ maxFailureStreak: 2 });
    const said: (readonly string[])[] = [];
    for (let i = 0; i < 3; i++) {
      const { failure, notes } = await reply('looks', { taskId: id, ...wrong });
      expect(failure?.code).toBe('invalid_argument');
      said.push(notes);
    }
    expect(said).toEqual([
      [],
      [`[task ${id}: failure streak 2/2, checkpoint or verify]`],
      [`[task ${id}: failure streak 3/2, change strategy or verify]`],
    ]);
    expect(await get(id)).toMatchObject({
      counters: {
        toolCalls: 3,
        observationCalls: 3,
        failureCalls: 3,
        failureStreak: 3,
        sameUrlNavigations: {},
      },
      budget_exceeded: ['maxFailureStreak'],
    });
    expect((await get(id)).recent_events.at(-2)).toMatchObject({
      kind: 'tool_call',
      data: { tool: 'looks', ok: false, code: 'invalid_argument' },
    });
  });

  it('counts calls with invalid arguments like others if it enforces its limit', async () => {
    const id = await start({ maxToolCalls: 1, enforce: true });
    expect(await code('looks', { task_id: id, nonsense: 1 })).toBe('invalid_argument');
    expect(await code('looks', { task_id: id, nonsense: 1 })).toBe('budget_exceeded');
    expect(await code('looks', { taskId: id })).toBe('budget_exceeded');
    expect((await get(id)).counters.toolCalls).toBe(1);
  });

  it('is not looked up by an invalid task id, or in the arguments of the ledger', async () => {
    const id = await start();
    expect((await reply('looks', { taskId: 17, nonsense: 1 })).failure?.code).toBe(
      'invalid_argument',
    );
    expect((await engineCall('looks', `taskId ${id}`)).failure?.code).toBe('invalid_argument');
    expect(await code('oc_task_update', { taskId: id, nonsense: 1 })).toBe('invalid_argument');
    expect((await get(id)).counters.toolCalls).toBe(0);
    const { failure, notes } = await reply('looks', { taskId: '0123456789abcdef', nonsense: 1 });
    expect(failure?.code).toBe('invalid_argument');
    expect(notes).toEqual(['[task_not_recorded: Task 0123456789abcdef does not exist]']);
  });

  it('records the work of a background task that was started for it', async () => {
    const id = await start();
    const { task_id: job } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'counts',
      args: { to: 2, taskId: id },
    });
    await call('oc_task_wait', { task_id: job });
    await expect.poll(async () => (await get(id)).counters.toolCalls).toBe(1);
  });

  it.each([
    ['beside', (taskId: string) => ({ args: { to: 2 }, taskId })],
    ['among', (taskId: string) => ({ args: { to: 2, task_id: taskId }, taskId })],
  ])(
    'applies to a background task also if it is named %s the arguments of the work',
    async (_, given) => {
      const id = await start({ maxToolCalls: 1, enforce: true });
      const { task_id: job } = await call<{ task_id: string }>('oc_task_start', {
        kind: 'counts',
        ...given(id),
      });
      await call('oc_task_wait', { task_id: job });
      await expect
        .poll(async () => (await get(id)).counters)
        .toMatchObject({ toolCalls: 1, failureCalls: 0 });
      expect(await code('oc_task_start', { kind: 'counts', ...given(id) })).toBe('budget_exceeded');
    },
  );

  it('sums up what its calls met', async () => {
    const id = await start({ maxFailureStreak: 100 });
    await reply('acts', { taskId: id, code: 'timeout' });
    await reply('acts', { taskId: id, code: 'page_unresponsive' });
    await reply('acts', { taskId: id, idle: true });
    await reply('looks', { taskId: id });
    await reply('acts', { taskId: id, code: 'stale_ref' });
    const { signals } = await get(id);
    expect(signals).toMatchObject({ timeouts: 2, noEffect: 1, staleRefs: 1, loginWalls: 0 });
    expect(signals['hints']).toBeGreaterThanOrEqual(1); // of the stale ref
  });

  it('knows about what its replies have cost, by tool', async () => {
    const id = await start();
    const words = 'Some words that a page might well have said. '.repeat(200);
    await reply('looks', { taskId: id, said: words });
    await reply('acts', { taskId: id });
    await reply('acts', { taskId: id });
    const { total, perTool } = (await get(id)).reply_tokens;
    expect(Object.keys(perTool).sort()).toEqual(['acts', 'looks']);
    expect(perTool['looks']).toBeGreaterThan(1_800); // nine tokens a sentence
    expect(perTool['looks']).toBeLessThan(2_600);
    expect(perTool['acts']).toBeGreaterThan(5);
    expect(total).toBe((perTool['looks'] ?? 0) + (perTool['acts'] ?? 0));
  });

  it('changes its phase and keeps notes', async () => {
    const id = await start({}, { phase: 'plan' });
    expect(
      await call('oc_task_update', { task_id: id, phase: 'verify', note: 'two of three found' }),
    ).toMatchObject({
      task_id: id,
      status: 'RUNNING',
      phase: 'verify',
      budget_status: 'ok',
    });
    await call('oc_task_update', { task_id: id, note: 'three' });
    const { phase, recent_events: events } = await get(id);
    expect(phase).toBe('verify');
    expect(events.slice(-2).map(({ kind, data }) => [kind, data])).toEqual([
      ['log', { phase: 'verify', note: 'two of three found' }],
      ['log', { note: 'three' }],
    ]);
    expect(await code('oc_task_update', { task_id: id, note: 'x'.repeat(501) })).toBe(
      'invalid_argument',
    );
  });

  it.each([
    ['completed', 'COMPLETED'],
    ['failed', 'FAILED'],
    ['cancelled', 'CANCELLED'],
  ])('that is finished as %s is %s, done, and changes no more', async (outcome, status) => {
    const id = await start();
    await reply('acts', { taskId: id });
    expect(await call('oc_task_finish', { task_id: id, outcome, note: 'so be it' })).toMatchObject({
      task_id: id,
      status,
      phase: 'done',
    });
    const shown = await get(id);
    expect(shown).toMatchObject({
      meta: { status, ended_at: expect.any(Number) as number },
      phase: 'done',
      counters: { toolCalls: 1 },
    });
    expect(shown.recent_events.at(-1)).toMatchObject({
      kind: outcome,
      data: { outcome, note: 'so be it' },
    });
    for (const again of ['completed', 'cancelled'])
      expect(await code('oc_task_finish', { task_id: id, outcome: again })).toBe(
        'task_already_ended',
      );
    expect(await code('oc_task_update', { task_id: id, phase: 'explore' })).toBe(
      'task_already_ended',
    );
    expect(await call('oc_task_cancel', { task_id: id })).toMatchObject({ status });
    expect(await get(id)).toEqual(shown);
  });

  it('is cancelled at once', async () => {
    const id = await start();
    expect(await call('oc_task_cancel', { task_id: id })).toMatchObject({
      task_id: id,
      status: 'CANCELLED',
      phase: 'done',
    });
    expect((await get(id)).recent_events.map(({ kind }) => kind)).toEqual(['started', 'cancelled']);
  });

  it('can be waited for', async () => {
    const id = await start();
    expect((await call<Failed>('oc_task_wait', { task_id: id, timeout_ms: 50 })).error.code).toBe(
      'task_wait_timeout',
    );
    const waiting = call<TaskMeta>('oc_task_wait', { task_id: id, timeout_ms: 20_000 });
    await call('oc_task_finish', { task_id: id, outcome: 'completed' });
    expect(await waiting).toMatchObject({ task_id: id, status: 'COMPLETED', objective: 'Find it' });
  });

  it('is listed among the others, with its budget status', async () => {
    await call('oc_task_start', { kind: 'counts', args: { to: 1 } });
    const id = await start({ maxToolCalls: 1 });
    await reply('acts', { taskId: id });
    await reply('acts', { taskId: id });
    const { tasks } = await call<{ tasks: Record<string, unknown>[] }>('oc_task_list');
    expect(tasks.map(({ kind }) => kind)).toEqual(['browser_task', 'counts']);
    expect(tasks[0]).toMatchObject({
      task_id: id,
      status: 'RUNNING',
      objective: 'Find it',
      phase: 'explore',
      counters: { toolCalls: 2 },
      budget_status: 'exceeded',
      budget_exceeded: ['maxToolCalls'],
      recommended_next: 'change_strategy_or_verify',
    });
    expect(tasks[0]).not.toHaveProperty('counted');
    expect(tasks[1]).not.toHaveProperty('budget_status');
    expect(await call('oc_task_list', { kind: 'browser_task', status: 'RUNNING' })).toMatchObject({
      count: 1,
    });
  });

  it('survives a restart, with everything that it counted', async () => {
    const id = await start({
      maxToolCalls: 500,
      maxConsecutiveSameTool: 500,
      maxObservationStreak: 500,
    });
    for (let i = 0; i < 130; i++)
      await reply('looks', { taskId: id, url: `https://example.com/${i % 7}#${i}` });
    const before = await get(id);
    await bench.restart();
    expect(await get(id)).toEqual(before);
    await reply('acts', { taskId: id });
    expect((await get(id)).counters).toMatchObject({
      toolCalls: 131,
      observationCalls: 130,
      consecutiveSameTool: 1,
      observationStreak: 0,
    });
    expect(JSON.parse(await readFile(pathOf(id, 'meta.json'), 'utf8'))).toMatchObject({
      counters: { toolCalls: 100 },
    });
  });

  it('starts no browser', async () => {
    const id = await start();
    await call('oc_task_update', { task_id: id, phase: 'verify' });
    await call('oc_task_finish', { task_id: id, outcome: 'completed' });
    await call('oc_task_wait', { task_id: id });
    expect(await call('oc_connection_health')).toMatchObject({ state: 'not_started', starts: 0 });
  });
});

describe('a call that cannot be recorded', () => {
  const noteOf = async (taskId: string): Promise<string> => {
    const { failure, text, notes } = await reply('looks', { taskId, said: 'hello' });
    expect(failure).toBeUndefined();
    expect(text).toContain('hello');
    return notes[0] ?? '';
  };

  it('still runs, and reports the reason', async () => {
    const ended = await start();
    await call('oc_task_finish', { task_id: ended, outcome: 'completed' });
    const { task_id: job } = await call<{ task_id: string }>('oc_task_start', { kind: 'counts' });
    expect(await noteOf('0123456789abcdef')).toBe(
      '[task_not_recorded: Task 0123456789abcdef does not exist]',
    );
    expect(await noteOf('my task')).toMatch(/^\[task_not_recorded: Invalid task id "my task"/);
    expect(await noteOf(ended)).toBe(
      `[task_not_recorded: task ${ended} has already ended: COMPLETED]`,
    );
    expect(await noteOf(job)).toBe(`[task_not_recorded: task ${job} is a background counts]`);
  });

  it('reports it also if the task ended during the call', async () => {
    const id = await start();
    const running = reply('looks', { taskId: id, wait_ms: 200 });
    await call('oc_task_finish', { task_id: id, outcome: 'completed' });
    expect((await running).notes).toEqual([`[task_not_recorded: Task ${id} has already ended]`]);
    expect((await get(id)).counters.toolCalls).toBe(0);
  });

  it('reports it also if the call itself fails', async () => {
    const { failure, notes } = await reply('looks', {
      taskId: '0123456789abcdef',
      code: 'tab_closed',
    });
    expect(failure?.code).toBe('tab_closed');
    expect(notes[0]).toMatch(/^\[task_not_recorded: /);
  });

  it('reports that the history cannot be written', async () => {
    const id = await start();
    await rm(pathOf(id, 'events.jsonl'));
    await mkdir(pathOf(id, 'events.jsonl'));
    expect(await noteOf(id)).toMatch(
      /^\[task_not_recorded: Could not append to .*: a folder has this name\]$/,
    );
    expect(await call('oc_task_list')).toMatchObject({ count: 1 });
  });
});

describe('a failure', () => {
  it.each([
    [{}, 'invalid_argument', 'objective'],
    [{ phase: 'explore' }, 'invalid_argument', 'objective'],
    [{ objective: 'x', args: { url: 'about:blank' } }, 'invalid_argument', 'args'],
    [{ objective: 'x', resume_from: '0123456789abcdef' }, 'invalid_argument', 'resume_from'],
    [{ kind: 'counts', objective: 'x' }, 'invalid_argument', 'objective'],
    [{ kind: 'counts', policy: {} }, 'invalid_argument', 'policy'],
    [{ objective: 'x', policy: { maxCalls: 3 } }, 'invalid_argument', 'policy'],
    [{ objective: 'x', policy: { maxToolCalls: 0 } }, 'invalid_argument', 'policy.maxToolCalls'],
    [
      { objective: 'x', policy: { maxToolCalls: 'many' } },
      'invalid_argument',
      'policy.maxToolCalls',
    ],
    [
      { objective: 'x', policy: { allowedDomains: 'example.com' } },
      'invalid_argument',
      'policy.allowedDomains',
    ],
    [
      { objective: 'x', policy: { allowedDomains: ['https://example.com/'] } },
      'invalid_argument',
      'policy.allowedDomains',
    ],
    [{ objective: 'x', policy: [] }, 'invalid_argument', 'policy'],
    [{ objective: '' }, 'invalid_argument', 'objective'],
  ])('%j starts nothing: %s, %s', async (args, expected, argument) => {
    expect((await call<Failed>('oc_task_start', args)).error).toMatchObject({
      code: expected,
      argument,
    });
    expect(await call('oc_task_list')).toMatchObject({ count: 0 });
  });

  it('is returned for background tasks, unknown tasks and invalid ids', async () => {
    const { task_id: job } = await call<{ task_id: string }>('oc_task_start', { kind: 'counts' });
    await call('oc_task_wait', { task_id: job });
    for (const [name, args] of [
      ['oc_task_update', { note: 'x' }],
      ['oc_task_finish', { outcome: 'completed' }],
    ] as const) {
      expect(await code(name, { task_id: job, ...args })).toBe('not_an_envelope');
      expect(await code(name, { task_id: '0123456789abcdef', ...args })).toBe('task_not_found');
      expect(await code(name, { task_id: '../..', ...args })).toBe('invalid_task_id');
    }
    expect(await code('oc_task_finish', { task_id: job, outcome: 'perhaps' })).toBe(
      'invalid_argument',
    );
  });
});

describe('the files on disk', () => {
  it('contain no secret', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const id = await start({}, { objective: `use ${token}` });
    await reply('looks', { taskId: id, url: `https://example.com/?access_token=${token}` });
    await call('oc_task_update', { task_id: id, note: token });
    await call('oc_task_finish', { task_id: id, outcome: 'failed', note: token });
    for (const file of ['meta.json', 'events.jsonl'])
      expect(await readFile(pathOf(id, file), 'utf8')).not.toContain(token);
  });

  it('may be torn: what can be read is counted', async () => {
    const id = await start();
    await reply('looks', { taskId: id });
    await appendFile(
      pathOf(id, 'events.jsonl'),
      '{"ts": 1, "kind": "tool_call", "data": {"tool": "lo',
    );
    await reply('looks', { taskId: id });
    await appendFile(
      pathOf(id, 'events.jsonl'),
      'null\n[]\n{"ts":1,"kind":"tool_call"}\n{"ts":1,"kind":"tool_call","data":{"tool":5}}\n',
    );
    await reply('looks', { taskId: id });
    expect((await get(id)).counters.toolCalls).toBe(3);
    await bench.restart();
    expect((await get(id)).counters.toolCalls).toBe(3);
  });

  it('are counted again if the history was shortened', async () => {
    const id = await start();
    for (let i = 0; i < 3; i++) await reply('looks', { taskId: id });
    await writeFile(pathOf(id, 'events.jsonl'), '');
    await reply('acts', { taskId: id });
    expect((await get(id)).counters).toMatchObject({ toolCalls: 1, actionCalls: 1 });
  });

  it('get the final row if the process that ended the task died before it wrote the row', async () => {
    const id = await start();
    await reply('acts', { taskId: id });
    await appendFile(
      pathOf(id, 'events.jsonl'),
      `${JSON.stringify({ ts: 99, kind: 'completed', data: { outcome: 'completed' } })}\n`,
    );
    const { notes } = await reply('acts', { taskId: id });
    expect(notes[0]).toMatch(/^\[task_not_recorded: /);
    expect(await call('oc_task_wait', { task_id: id, timeout_ms: 2_000 })).toMatchObject({
      status: 'COMPLETED',
      phase: 'done',
      ended_at: 99,
    });
    expect((await get(id)).counters.toolCalls).toBe(1);
  });

  it('can lack fields of an envelope: then the list continues without it, and the call is not recorded', async () => {
    const [broken, whole] = [await start(), await start()];
    const row = JSON.parse(await readFile(pathOf(broken, 'meta.json'), 'utf8')) as TaskMeta;
    await writeFile(
      pathOf(broken, 'meta.json'),
      JSON.stringify({ ...row, policy: { maxToolCalls: 'x' } }),
    );
    expect((await reply('looks', { taskId: broken })).notes[0]).toMatch(/^\[task_not_recorded: /);
    const { tasks } = await call<{ tasks: TaskMeta[] }>('oc_task_list');
    expect(tasks.map(({ task_id: id }) => id)).toContain(whole);
    expect(await code('oc_task_get', { task_id: broken })).toBe('storage_failed');
  });
});
