// expect: checks expectations about the page and reports pass or fail as data.
import { z } from 'zod';
import {
  checkExpectations,
  ELEMENT_STATES,
  type ExpectationReport,
  requireExpectation,
} from '../../features/expect/check-expectations.ts';
import { quoteText } from '../../core/text.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs, markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

const text = z.string().min(1).max(10_000).optional();

/** Time for the reply after the wait; added to the waiting time for the deadline. */
const RESERVE_MS = 400;

export const expectTool = defineTool({
  name: 'expect',
  description:
    'Check facts about the page: waits until all are true, and reports pass or the difference.',
  returns:
    '{passed: boolean, checks: [{check, passed, expected, actual?}], waitedMs}: does not throw',
  keywords: 'assert verify test check assertion',
  tier: 1,
  traits: {
    effect: 'read',
    recipe: 'expect',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    timeoutMs: 5_000,
    reserveMs: RESERVE_MS,
    negative: (data) => !(data as ExpectationReport).passed,
  },
  input: () => ({
    url: markUndescribed(text.describe('Part, or glob')),
    title: markUnlisted(text.describe('Part of it')),
    text,
    textGone: text,
    query: text.describe('Element, as in find'),
    role: markUnlisted(text),
    label: markUnlisted(text.describe('Label of a form field')),
    selector: markUnlisted(text.describe('CSS')),
    near: markUnlisted(text.describe('Words of the same row, card or list item')),
    state: markListedAs(z.enum(ELEMENT_STATES).optional(), {
      type: 'string',
      description: 'visible, hidden, disabled, checked …',
    }),
    value: z.string().max(10_000).optional(),
    count: z.number().int().min(0).max(50).optional(),
    request: markUndescribed(text.describe('"POST /api"')),
    status: z.number().int().optional(),
    noConsoleErrors: z.boolean().optional(),
  }),
  prepare: (given) => {
    requireExpectation(given);
    return given;
  },
  examples: [
    { url: '/done', text: 'Thank you' },
    { role: 'button', query: 'Pay', state: 'disabled' },
    { request: 'POST /api/orders', status: 201, noConsoleErrors: true },
  ],
  run: async (given, { tab, session, services, requireConsent, deadline, signal }) => {
    const maxMs = Math.max(0, deadline.remainingMs - RESERVE_MS);
    const pdf = { workers: services.workers, requireConsent };
    return checkExpectations(given, { tab, session, pdf, maxMs, signal });
  },
  render: ({ passed, checks, waitedMs }) => {
    if (passed)
      return `passed: ${checks.map(({ check }) => check).join(', ')} (after ${waitedMs} ms)`;
    return checks.map(renderCheck).join('\n');
  },
});

const renderCheck = ({
  check,
  passed,
  expected,
  actual = '',
}: ExpectationReport['checks'][number]): string =>
  passed
    ? `passed: ${check}`
    : `failed: ${check}: expected ${quoteText(expected)}, got ${quoteText(actual)}`;
