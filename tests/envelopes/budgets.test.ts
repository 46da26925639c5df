// Budgets through the whole pipeline: notes in replies, rejected calls, and the values that other
// steps receive.
import { describe, expect, it } from 'vitest';
import type { FailureBody } from '../../src/core/failure.ts';
import { useEnvelopes } from './envelopes.ts';

const bench = useEnvelopes();
const { call, get, reply, start } = bench;

/** The notes of a call but for hints, which are not ours. */
const notes = async (name: string, args: object): Promise<string[]> =>
  (await reply(name, args)).notes.filter((note) => !note.startsWith('[hint:'));

describe('a reply', () => {
  it('carries a line when the state of the budget changed, and only then', async () => {
    const id = await start({ maxConsecutiveSameTool: 100 });
    const said: string[][] = [];
    for (let i = 0; i < 9; i++) said.push(await notes('looks', { taskId: id, said: String(i) }));
    said.push(await notes('acts', { taskId: id }));
    const none: string[] = [];
    expect(said).toEqual([
      none,
      none,
      none,
      none,
      [`[task ${id}: observation streak 5/6, checkpoint or verify]`],
      none,
      [`[task ${id}: observation streak 7/6, change strategy or verify]`],
      none,
      none,
      [`[task ${id}: observation streak 0/6, back within the limit]`],
    ]);
  });

  it('of a call that failed carries it too', async () => {
    const id = await start({ maxFailureStreak: 1 });
    const { failure, notes: lines } = await reply('acts', { taskId: id, code: 'tab_closed' });
    expect(failure?.code).toBe('tab_closed');
    expect(lines).toContain(`[task ${id}: failure streak 1/1, checkpoint or verify]`);
  });

  it('is never part of the first block', async () => {
    const id = await start({ maxToolCalls: 1 });
    const { text, notes: lines } = await reply('looks', { taskId: id, said: 'hello' });
    expect(text).toBe('{"said":"hello","idle":false}');
    expect(lines).toHaveLength(1);
  });

  it('requests a checkpoint every given number of calls', async () => {
    const id = await start({ checkpointEveryCalls: 2 });
    expect(await notes('looks', { taskId: id })).toEqual([]);
    expect(await notes('acts', { taskId: id })).toEqual([
      `[task ${id}: 2 calls done, checkpoint or verify]`,
    ]);
    expect(await get(id)).toMatchObject({
      budget_status: 'ok',
      recommended_next: 'checkpoint_or_verify',
    });
    await reply('looks', { taskId: id });
    expect(await get(id)).not.toHaveProperty('recommended_next');
  });
});

describe('the state of the budget', () => {
  it('is in the history, each time that it changed', async () => {
    const id = await start({ maxFailureStreak: 1 });
    await reply('acts', { taskId: id, code: 'tab_closed' });
    await reply('looks', { taskId: id, code: 'tab_closed' });
    await reply('acts', { taskId: id });
    const told = (await get(id)).recent_events
      .filter(({ kind }) => kind === 'budget')
      .map(({ data }) => data);
    expect(told).toEqual([
      { status: 'warning', exceeded: [], warnings: ['maxFailureStreak'] },
      { status: 'exceeded', exceeded: ['maxFailureStreak'], warnings: [] },
      { status: 'ok', exceeded: [], warnings: [] },
    ]);
  });

  it('follows the clock without any call, until the task has ended', async () => {
    const id = await start({ maxWallMs: 1 });
    await expect.poll(async () => (await get(id)).budget_exceeded).toEqual(['maxWallMs']);
    const other = await start({ maxWallMs: 60_000 });
    await call('oc_task_finish', { task_id: other, outcome: 'completed' });
    expect(await get(other)).toMatchObject({ budget_status: 'ok' });
  });

  it('counts addresses without their fragments, in tasks of their own', async () => {
    const [id, other] = [await start(), await start()];
    for (let i = 0; i < 4; i++)
      await reply(i % 2 ? 'acts' : 'looks', { taskId: id, url: `https://example.com/a#${i}` });
    await reply('acts', { taskId: other, url: 'https://example.com/a' });
    expect(await get(id)).toMatchObject({
      counters: { sameUrlNavigations: { 'https://example.com/a': 4 } },
      budget_exceeded: ['maxSameUrlNavigations'],
      recommended_next: 'change_strategy_or_verify',
    });
    expect((await get(other)).budget_status).toBe('ok');
  });

  it('never refuses a call by itself', async () => {
    const id = await start({
      maxToolCalls: 1,
      maxWallMs: 1,
      maxFailureStreak: 1,
      maxObservationStreak: 1,
    });
    for (let i = 0; i < 5; i++)
      expect((await reply('looks', { taskId: id })).failure).toBeUndefined();
    expect((await get(id)).counters.toolCalls).toBe(5);
  });

  it('is known to the rule that hints when a budget is near', async () => {
    const id = await start({ maxFailureStreak: 2 });
    await reply('acts', { taskId: id, code: 'tab_closed' });
    await reply('looks', { taskId: id, code: 'tab_closed' });
    const { notes: lines } = await reply('acts', { taskId: id, code: 'tab_closed' });
    expect(lines).toContain('[hint: failure streak 2/2: verify the work done, or finish the task]');
    expect((await get(id)).signals['hints']).toBeGreaterThanOrEqual(1);
  });
});

describe('a task that enforces its limits', () => {
  const refused = async (
    id: string,
    args: object = {},
  ): Promise<FailureBody['error'] | undefined> =>
    (await reply('looks', { taskId: id, ...args })).failure?.toJSON().error;

  it('runs the calls that it allows and refuses the next, with the counters', async () => {
    const id = await start({ maxToolCalls: 2, enforce: true });
    expect(await refused(id)).toBeUndefined();
    expect((await reply('acts', { taskId: id, code: 'tab_closed' })).failure?.code).toBe(
      'tab_closed',
    );
    expect(await refused(id)).toEqual({
      code: 'budget_exceeded',
      message: `Task ${id} allows no further calls: maxToolCalls 2 is used up.`,
      hint: expect.any(String) as string,
      retryable: false,
      task_id: id,
      budget_exceeded: ['maxToolCalls'],
      counters: expect.objectContaining({ toolCalls: 2, failureCalls: 1 }) as object,
    });
    const { counters, recent_events: events } = await get(id);
    expect(counters).toMatchObject({ toolCalls: 2 });
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'tool_call', 'tool_call', 'budget']);
    expect(await call('oc_journal', { tool: 'looks' })).toMatchObject([
      { ok: true },
      { ok: false, code: 'budget_exceeded' },
    ]);
  });

  it('refuses all calls when its time is over', async () => {
    const id = await start({ maxWallMs: 1, enforce: true });
    await expect
      .poll(() => refused(id))
      .toMatchObject({ code: 'budget_exceeded', budget_exceeded: ['maxWallMs'] });
  });

  it('refuses further calls when the tokens of its replies are used up, and the journal counts them', async () => {
    const id = await start({ maxReplyTokens: 1, enforce: true });
    const { notes } = await reply('looks', { taskId: id });
    expect(notes.join('\n')).toMatch(
      new RegExp(`\\[task ${id}: reply tokens \\d+/1, change strategy or verify\\]`),
    );
    expect(await refused(id)).toMatchObject({
      code: 'budget_exceeded',
      message: `Task ${id} allows no further calls: maxReplyTokens 1 is used up.`,
      budget_exceeded: ['maxReplyTokens'],
    });
    const [entry] = (await call('oc_journal', { tool: 'looks' })) as { tokens: number }[];
    expect(entry?.tokens).toBeGreaterThan(1);
    const { tokens, tools } = (await call('oc_journal', { action: 'summary' })) as {
      tokens: number;
      tools: { tool: string; tokens: number }[];
    };
    expect(tokens).toBeGreaterThanOrEqual(entry?.tokens ?? Infinity);
    expect(tools.find(({ tool }) => tool === 'looks')?.tokens).toBeGreaterThan(1);
  });

  it('does not run more calls than allowed when they arrive at the same time', async () => {
    const id = await start({ maxToolCalls: 5, enforce: true });
    const codes = await Promise.all(
      Array.from({ length: 12 }, async () => (await refused(id, { wait_ms: 20 }))?.code),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(5);
    expect(codes.filter((code) => code === 'budget_exceeded')).toHaveLength(7);
    expect((await get(id)).counters.toolCalls).toBe(5);
  });

  it('continues to reject after a restart', async () => {
    const id = await start({ maxToolCalls: 1, enforce: true });
    await refused(id);
    await bench.restart();
    expect(await refused(id)).toMatchObject({ code: 'budget_exceeded' });
  });

  it('rejects only for its hard limits', async () => {
    const id = await start({ maxObservationStreak: 1, maxConsecutiveSameTool: 1, enforce: true });
    for (let i = 0; i < 4; i++) expect(await refused(id)).toBeUndefined();
  });
});
