// Tests of consent-policy.ts: which rule decides.
import { describe, expect, it } from 'vitest';
import type { ConsentRule } from '../core/consent-rule.ts';
import { type CallEffects, ConsentPolicy } from './consent-policy.ts';

const TOOLS = ['interact', 'javascript_tool'];
const SHOP = 'https://shop.example/';

const decide = (
  rules: readonly ConsentRule[],
  effects: CallEffects,
  { url = SHOP, ...more }: { url?: string; tool?: string; session?: string | undefined } = {},
): string =>
  new ConsentPolicy(rules, { tools: TOOLS })
    .judge({ tool: 'interact', session: 'default', ...effects, ...more }, [url])
    .map(({ decision }) => decision)
    .join();

const ACT: CallEffects = { base: 'act', special: [] };
const SCRIPT: CallEffects = { base: 'act', special: ['script'] };
const COOKIES: CallEffects = { base: 'read', special: ['cookies'] };

describe('the first rule that matches decides', () => {
  it.each<[string, readonly ConsentRule[], CallEffects, string]>([
    ['no rule', [], ACT, 'allow'],
    ['a rule for another effect', [{ decision: 'deny', effect: 'read' }], ACT, 'allow'],
    ['a rule for the base effect', [{ decision: 'deny', effect: 'act' }], SCRIPT, 'deny'],
    [
      'a special effect before the base effect',
      [
        { decision: 'allow', effect: 'script' },
        { decision: 'deny', effect: 'act' },
      ],
      SCRIPT,
      'allow',
    ],
    [
      'an allowed base effect, which does not cover a special one',
      [
        { decision: 'allow', effect: 'act' },
        { decision: 'deny', effect: 'script' },
      ],
      SCRIPT,
      'deny',
    ],
    [
      'a rule for everything else',
      [{ decision: 'allow', effect: 'read' }, { decision: 'ask' }],
      COOKIES,
      'ask',
    ],
  ])('%s', (_, rules, effects, decision) => {
    expect(decide(rules, effects)).toBe(decision);
  });
});

it('matches hosts with their subdomains, tools and sessions', () => {
  const rules: ConsentRule[] = [
    { decision: 'deny', domains: ['shop.example'], tools: ['interact'], sessions: ['default'] },
  ];
  expect(decide(rules, ACT, { url: 'https://www.shop.example/x' })).toBe('deny');
  expect(decide(rules, ACT, { url: 'https://notshop.example/' })).toBe('allow');
  expect(decide(rules, ACT, { tool: 'javascript_tool' })).toBe('allow');
  expect(decide(rules, ACT, { session: 'other' })).toBe('allow');
  expect(decide(rules, ACT, { session: undefined })).toBe('deny'); // unknown: the rule applies
  expect(decide(rules, ACT, { url: '*' })).toBe('deny'); // all hosts
});

it.each([
  [{ decision: 'deny', domains: ['not a domain'] }],
  [{ decision: 'deny', tools: ['interakt'] }],
] as [ConsentRule][])('rejects the rule %j', (rule) => {
  expect(() => new ConsentPolicy([rule], { tools: TOOLS })).toThrow();
});

it('treats --read-only as a rule before all others', () => {
  const policy = new ConsentPolicy([{ decision: 'allow' }], { readOnly: true, tools: TOOLS });
  expect(policy.findDenial({ ...SCRIPT, tool: 'interact', session: 'default' })).toMatchObject({
    isReadOnly: true,
  });
  expect(policy.findDenial({ base: 'read', special: [], tool: '', session: '' })).toBeUndefined();
});
