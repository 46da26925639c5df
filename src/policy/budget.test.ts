// Budgets: every limit at its edges, what the notes say, and the transition against a simple model
// of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atTime,
  findLimitOfNextCall,
  type BudgetPolicy,
  describeChange,
  describeNear,
  type Envelope,
  judge,
  LIMIT_FIELDS,
  type LimitField,
  createEnvelope,
  recordCall,
  SIGNALS,
  type ToolCallEvent,
  urlKey,
} from './budget.ts';

const FAR = 1_000_000;
const POLICY: BudgetPolicy = {
  maxConsecutiveSameTool: FAR,
  maxObservationStreak: FAR,
  maxFailureStreak: FAR,
  maxSameUrlNavigations: FAR,
  enforce: false,
};

const aCall = (over: Partial<ToolCallEvent> = {}): ToolCallEvent => ({
  ts: 1_000,
  tool: 'read_page',
  observation: false,
  ok: true,
  tokens: 10,
  met: [],
  ...over,
});

const after = (policy: Partial<BudgetPolicy>, calls: readonly ToolCallEvent[]): Envelope =>
  calls.reduce(recordCall, createEnvelope({ ...POLICY, ...policy }, 1_000));

/** Calls that raise only one limit to a value. */
const UP_TO: Readonly<Record<LimitField, (value: number) => ToolCallEvent[]>> = {
  maxToolCalls: (value) => Array.from({ length: value }, (_, i) => aCall({ tool: `t${i}` })),
  maxWallMs: (value) => [aCall({ ts: 1_000 + value })],
  maxReplyTokens: (value) =>
    Array.from({ length: value }, (_, i) => aCall({ tool: `t${i}`, tokens: 1 })),
  maxConsecutiveSameTool: (value) => [
    aCall({ tool: 'other' }),
    ...Array.from({ length: value }, () => aCall()),
  ],
  maxObservationStreak: (value) => [
    aCall(),
    ...Array.from({ length: value }, (_, i) => aCall({ tool: `t${i}`, observation: true })),
  ],
  maxFailureStreak: (value) => [
    aCall(),
    ...Array.from({ length: value }, (_, i) => aCall({ tool: `t${i}`, ok: false })),
  ],
  maxSameUrlNavigations: (value) =>
    Array.from({ length: value }, (_, i) =>
      aCall({ tool: `t${i}`, url: `https://example.com/a?b=1#part-${i}` }),
    ),
};

describe.each(LIMIT_FIELDS)('%s', (field) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 40])(
    'of %i: ok below three quarters, a warning from there, exceeded beyond it',
    (limit) => {
      const edge = Math.ceil(0.75 * limit);
      const verdict = (value: number): unknown =>
        judge(after({ [field]: limit }, UP_TO[field](value)));
      if (edge > 1) expect(verdict(edge - 1)).toEqual({ status: 'ok', exceeded: [], warnings: [] });
      const warning = {
        status: 'warning',
        exceeded: [],
        warnings: [field],
        next: 'checkpoint_or_verify',
      };
      expect(verdict(edge)).toEqual(warning);
      expect(verdict(limit)).toEqual(warning);
      expect(verdict(limit + 1)).toEqual({
        status: 'exceeded',
        exceeded: [field],
        warnings: [],
        next: 'change_strategy_or_verify',
      });
    },
  );

  it('is reported by the call that reaches the limit and by the one that exceeds it, and by no other', () => {
    const limit = 8;
    const calls = UP_TO[field](limit + 3);
    if (field === 'maxWallMs') return; // not a count, see below
    let envelope = createEnvelope({ ...POLICY, [field]: limit }, 1_000);
    const notes = calls.flatMap((call) => {
      const before = envelope;
      envelope = recordCall(envelope, call);
      return describeChange(before, envelope) ?? [];
    });
    expect(notes).toEqual([
      expect.stringMatching(/ 6\/8, checkpoint or verify$/),
      expect.stringMatching(/ 9\/8, change strategy or verify$/),
    ]);
  });
});

describe('the words', () => {
  const near = (field: LimitField, value: number): string | undefined =>
    describeNear(after({ [field]: 4 }, UP_TO[field](value)));

  it('name each budget with its value and its limit', () => {
    expect(LIMIT_FIELDS.map((field) => near(field, 5))).toMatchInlineSnapshot(`
      [
        "tool calls 5/4",
        "time 5/4 ms",
        "reply tokens 5/4",
        "same tool in a row 5/4",
        "observation streak 5/4",
        "failure streak 5/4",
        "navigations to one URL 5/4",
      ]
    `);
    expect(near('maxToolCalls', 2)).toBeUndefined();
  });

  it('report the seventh observation in a row with the default policy', () => {
    const six = UP_TO.maxObservationStreak(6);
    const before = after({ maxObservationStreak: 6 }, six);
    expect(
      describeChange(before, recordCall(before, aCall({ tool: 'find', observation: true }))),
    ).toBe('observation streak 7/6, change strategy or verify');
  });

  it('report a budget that is within its limit again', () => {
    const before = after({ maxObservationStreak: 6 }, UP_TO.maxObservationStreak(7));
    expect(describeChange(before, recordCall(before, aCall()))).toBe(
      'observation streak 0/6, back within the limit',
    );
  });

  it('name several that changed at once, and the graver advice', () => {
    const before = after({ maxToolCalls: 4, maxFailureStreak: 4 }, UP_TO.maxFailureStreak(3));
    expect(describeChange(before, recordCall(before, aCall({ ok: false })))).toBe(
      'tool calls 5/4, change strategy or verify',
    );
    const none = createEnvelope({ ...POLICY, maxToolCalls: 1, maxFailureStreak: 1 }, 1_000);
    expect(describeChange(none, recordCall(none, aCall({ ok: false })))).toBe(
      'tool calls 1/1, failure streak 1/1, checkpoint or verify',
    );
  });

  it('report the time limit with the first call after it expired', () => {
    const before = after({ maxWallMs: 1_000 }, [aCall({ ts: 1_500 })]);
    expect(describeChange(before, recordCall(before, aCall({ ts: 2_500 })))).toBe(
      'time 1500/1000 ms, change strategy or verify',
    );
  });
});

describe('checkpoints', () => {
  it('are due every given number of calls, and reported each time', () => {
    let envelope = createEnvelope({ ...POLICY, checkpointEveryCalls: 3 }, 1_000);
    const story = UP_TO.maxToolCalls(7).map((call) => {
      const before = envelope;
      envelope = recordCall(envelope, call);
      return [judge(envelope).next, describeChange(before, envelope)];
    });
    const due = (calls: number): string[] => [
      'checkpoint_or_verify',
      `${calls} calls done, checkpoint or verify`,
    ];
    const not = [undefined, undefined];
    expect(story).toEqual([not, not, due(3), not, not, due(6), not]);
    expect(judge(envelope).status).toBe('ok');
  });

  it('are less important than an exceeded budget', () => {
    expect(
      judge(after({ checkpointEveryCalls: 3, maxToolCalls: 2 }, UP_TO.maxToolCalls(3))).next,
    ).toBe('change_strategy_or_verify');
  });
});

describe('the clock', () => {
  it('is evaluated when the status is read', () => {
    const envelope = after({ maxWallMs: 1_000 }, [aCall()]);
    expect(
      [1_000, 1_749, 1_750, 2_000, 2_001].map((now) => judge(atTime(envelope, now)).status),
    ).toEqual(['ok', 'ok', 'warning', 'warning', 'exceeded']);
  });

  it('never runs backwards', () => {
    const envelope = after({}, [aCall({ ts: 5_000 }), aCall({ ts: 3_000 })]);
    expect(envelope.wallMs).toBe(4_000);
    expect(atTime(envelope, 10).wallMs).toBe(4_000);
  });
});

describe('a task that enforces its limits', () => {
  const enforced = { maxToolCalls: 3, maxWallMs: 1_000, enforce: true };
  it('lets in as many calls as it allows, running ones included', () => {
    expect(findLimitOfNextCall(after(enforced, UP_TO.maxToolCalls(2)), 2)).toEqual([]);
    expect(findLimitOfNextCall(after(enforced, UP_TO.maxToolCalls(3)), 3)).toEqual([
      'maxToolCalls',
    ]);
    expect(findLimitOfNextCall(after(enforced, UP_TO.maxToolCalls(1)), 3)).toEqual([
      'maxToolCalls',
    ]);
  });

  it('lets in none once its time is over', () => {
    expect(findLimitOfNextCall(atTime(after(enforced, []), 2_000), 0)).toEqual([]);
    expect(findLimitOfNextCall(atTime(after(enforced, []), 2_001), 0)).toEqual(['maxWallMs']);
  });

  it('rejects calls only for hard limits, and only if enforcement is on', () => {
    const streak = {
      maxObservationStreak: 1,
      maxFailureStreak: 1,
      maxConsecutiveSameTool: 1,
      maxSameUrlNavigations: 1,
    };
    expect(
      findLimitOfNextCall(after({ ...streak, enforce: true }, UP_TO.maxObservationStreak(9)), 9),
    ).toEqual([]);
    expect(findLimitOfNextCall(after({ maxToolCalls: 1 }, UP_TO.maxToolCalls(9)), 9)).toEqual([]);
  });
});

describe('addresses', () => {
  it('are equal for any fragment and spelling', () => {
    const same = ['https://EXAMPLE.com', 'https://example.com/#a', 'https://example.com:443/#b?c'];
    expect(new Set(same.map(urlKey)).size).toBe(1);
    const others = [
      'https://example.com/',
      'http://example.com/',
      'https://example.com/a',
      'https://example.com/?a',
      'nonsense#a',
      '',
    ];
    expect(new Set(others.map(urlKey)).size).toBe(others.length);
    expect(urlKey('nonsense#a')).toBe('nonsense');
  });

  it('that are long need little memory and are still distinguished', () => {
    const long = (end: string): string => `https://example.com/${'x'.repeat(5_000)}${end}`;
    expect(urlKey(long('a')).length).toBeLessThanOrEqual(300);
    expect(urlKey(long('a'))).not.toBe(urlKey(long('b')));
    expect(urlKey(long('a#1'))).toBe(urlKey(long('a#2')));
  });

  it('are dropped if there are too many, the most recently repeated ones last', () => {
    const often = aCall({ url: 'https://example.com/often' });
    const many = Array.from({ length: 700 }, (_, i) => aCall({ url: `https://example.com/${i}` }));
    const { sameUrlNavigations: counts } = after({}, [often, often, ...many, often]).counters;
    expect(Object.keys(counts).length).toBeLessThanOrEqual(501);
    expect(counts['https://example.com/often']).toBe(3);
    expect(counts['https://example.com/699']).toBe(1);
  });
});

/** The same, computed from the whole list every time. */
const model = (policy: BudgetPolicy, calls: readonly ToolCallEvent[]): unknown => {
  const trailing = (test: (call: ToolCallEvent) => boolean): number => {
    const at = calls.findLastIndex((call) => !test(call));
    return calls.length - at - 1;
  };
  const urls = calls.flatMap(({ url }) => (url === undefined ? [] : [url.split('#')[0] as string]));
  const times = (url: string): number => urls.filter((other) => other === url).length;
  const values: Record<LimitField, number> = {
    maxToolCalls: calls.length,
    maxWallMs: Math.max(0, ...calls.map(({ ts }) => ts - 1_000)),
    maxReplyTokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
    maxConsecutiveSameTool: trailing(({ tool }) => tool === calls.at(-1)?.tool),
    maxObservationStreak: trailing(({ observation }) => observation),
    maxFailureStreak: trailing(({ ok }) => !ok),
    maxSameUrlNavigations: Math.max(0, ...urls.map(times)),
  };
  const set = LIMIT_FIELDS.filter((field) => policy[field] !== undefined);
  const exceeded = set.filter((field) => values[field] > (policy[field] ?? 0));
  const near = set.filter((field) => values[field] >= Math.ceil(0.75 * (policy[field] ?? 0)));
  const observations = calls.filter(({ observation }) => observation).length;
  return {
    counters: {
      toolCalls: calls.length,
      actionCalls: calls.length - observations,
      observationCalls: observations,
      failureCalls: calls.filter(({ ok }) => !ok).length,
      consecutiveSameTool: values.maxConsecutiveSameTool,
      observationStreak: values.maxObservationStreak,
      failureStreak: values.maxFailureStreak,
      sameUrlNavigations: Object.fromEntries(urls.map((url) => [url, times(url)])),
    },
    status: exceeded.length > 0 ? 'exceeded' : near.length > 0 ? 'warning' : 'ok',
    exceeded,
    warnings: near.filter((field) => !exceeded.includes(field)),
    signals: Object.fromEntries(
      SIGNALS.map((signal) => [signal, calls.filter(({ met }) => met.includes(signal)).length]),
    ),
    tokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
  };
};

const somePolicy = fc.record({
  maxToolCalls: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  maxWallMs: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
  maxConsecutiveSameTool: fc.integer({ min: 1, max: 6 }),
  maxObservationStreak: fc.integer({ min: 1, max: 8 }),
  maxFailureStreak: fc.integer({ min: 1, max: 5 }),
  maxSameUrlNavigations: fc.integer({ min: 1, max: 5 }),
  enforce: fc.boolean(),
});

const someCall = fc.record({
  ts: fc.integer({ min: 0, max: 4_000 }),
  tool: fc.constantFrom('navigate', 'read_page', 'interact'),
  observation: fc.boolean(),
  ok: fc.boolean(),
  url: fc.option(
    fc.constantFrom(
      'https://a.example/',
      'https://a.example/#x',
      'https://b.example/p?q=1',
      'https://b.example/p?q=1#y',
    ),
    {
      nil: undefined,
    },
  ),
  tokens: fc.nat(1_000),
  met: fc.uniqueArray(fc.constantFrom(...SIGNALS)),
});

describe('the transition', () => {
  it('agrees with a simple model after every call of any sequence', () => {
    fc.assert(
      fc.property(somePolicy, fc.array(someCall, { maxLength: 40 }), (policy, calls) => {
        let envelope = createEnvelope(policy, 1_000);
        for (const [i, call] of calls.entries()) {
          envelope = recordCall(envelope, call);
          const { status, exceeded, warnings } = judge(envelope);
          const { counters, signals, replyTokens } = envelope;
          expect({
            counters,
            status,
            exceeded,
            warnings,
            signals,
            tokens: replyTokens.total,
          }).toEqual(model(policy, calls.slice(0, i + 1)));
        }
      }),
    );
  });

  it('reports a change exactly if a limit changes its state', () => {
    fc.assert(
      fc.property(somePolicy, fc.array(someCall, { maxLength: 40 }), (policy, calls) => {
        let envelope = createEnvelope(policy, 1_000);
        const stateOf = (at: Envelope): string =>
          JSON.stringify([judge(at).exceeded, judge(at).warnings]);
        for (const call of calls) {
          const before = envelope;
          envelope = recordCall(before, call);
          expect(describeChange(before, envelope) !== undefined).toBe(
            stateOf(before) !== stateOf(envelope),
          );
        }
      }),
    );
  });

  it('does not modify its input', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null)
        for (const part of Object.values(Object.freeze(value))) freeze(part);
      return value;
    };
    fc.assert(
      fc.property(somePolicy, fc.array(someCall, { maxLength: 10 }), (policy, calls) => {
        let envelope = freeze(createEnvelope(policy, 1_000));
        for (const call of calls) envelope = freeze(recordCall(envelope, freeze(call)));
      }),
    );
  });
});
