// Hints: at most one short line, only after a failure or a repetition.
import { describe, expect, it } from 'vitest';
import { type FailureCode, type FailureDetails, FAILURES } from '../../core/failure.ts';
import { type FinishedCall, HINT_RULES, hintFor } from '../hints.ts';

const ended = (over: Partial<FinishedCall> = {}): FinishedCall => ({
  times: 1,
  acts: true,
  login: false,
  ...over,
});
const failed = (
  code: FailureCode,
  details: FailureDetails = {},
  over: Partial<FinishedCall> = {},
): FinishedCall => ended({ failure: { code, details }, ...over });

describe('a hint', () => {
  it.each([
    ['an open dialog', failed('dialog_open'), 'dialog_open', /\[\[accept\]\]/],
    [
      'a ref that has a successor',
      failed('stale_ref', { new_ref: 'e40' }),
      'stale_ref',
      /with e40/,
    ],
    [
      'a ref of a page that was left',
      failed('stale_ref', { reason: 'navigated' }),
      'stale_ref',
      /another page/,
    ],
    [
      'a ref whose element was redrawn',
      failed('stale_ref', { reason: 're-rendered' }),
      'stale_ref',
      /\[\[sinceLast\]\]/,
    ],
    ['a covered target', failed('target_covered', { cover: { ref: 'e9' } }), 'covered', /e9/],
    ['a target covered by something unnamed', failed('target_covered'), 'covered', /Escape/],
    [
      'nothing found, but something near',
      failed('element_not_found', { near: [{ ref: 'e3' }] }),
      'nothing_found',
      /elements in near/,
    ],
    ['nothing found at all', failed('element_not_found'), 'nothing_found', /\[\[wait\]\]/],
    [
      'an option that is not there',
      failed('option_not_found', { options: ['a'] }),
      'nothing_found',
      /one of the options/,
    ],
    [
      'a failure on a login page',
      failed('element_not_found', {}, { login: true }),
      'login_wall',
      /login/,
    ],
    [
      'a failure while the budget runs out',
      failed('timeout', {}, { budget: 'tool calls 9/10' }),
      'budget_near',
      /tool calls 9\/10/,
    ],
    [
      'the third failure of the same kind',
      failed('stale_ref', {}, { times: 3 }),
      'same_call_repeated',
      /3 times/,
    ],
    [
      'the third look with the same answer',
      ended({ acts: false, times: 3 }),
      'same_call_repeated',
      /use \[\[wait\]\]/,
    ],
  ] as const)('is returned after %s', (_, happening, rule, line) => {
    expect(hintFor(happening)).toEqual({ rule, line: expect.stringMatching(line) as string });
  });

  it('is not returned for an unknown ref: the failure is sufficient', () => {
    expect(hintFor(failed('element_not_found', { ref: 'e99' }))).toBeUndefined();
  });

  it('is never returned on success, for any page and budget', () => {
    expect(hintFor(ended({ login: true, budget: 'tool calls 9/10' }))).toBeUndefined();
    expect(hintFor(ended({ acts: false, times: 2 }))).toBeUndefined();
  });

  it.each([
    'tab_closed',
    'page_crashed',
    'cancelled',
    'domain_not_allowed',
    'storage_failed',
    'script_error',
  ] as const)('does not blame the login for %s', (code) => {
    expect(hintFor(failed(code, {}, { login: true }))).toBeUndefined();
  });

  it('is not returned for a repeated action', () => {
    expect(hintFor(ended({ acts: true, times: 20 }))).toBeUndefined();
  });

  it('is one short line, for every failure', () => {
    for (const code of Object.keys(FAILURES) as FailureCode[])
      for (const login of [false, true]) {
        const line = hintFor(failed(code, {}, { login }))?.line ?? '';
        expect(line).not.toMatch(/\n/);
        expect(line.length).toBeLessThan(120);
      }
  });

  it('comes from a rule with a unique name', () => {
    expect(new Set(HINT_RULES.map(({ name }) => name)).size).toBe(HINT_RULES.length);
  });
});
