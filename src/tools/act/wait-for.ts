// wait_for: returns as soon as all given conditions are true.
import { z } from 'zod';
import { listIf } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { monotonicMs } from '../../core/time.ts';
import {
  waitForConsole,
  waitForDownload,
  waitForFunction,
  waitForIdle,
  waitForLoad,
  waitForPage,
  waitForRequest,
  waitForUrl,
} from '../../browser/act/wait-for.ts';
import type { PageCondition } from '../../page/act/act-answers.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed } from '../../toolkit/tool-description.ts';

const text = z.string().min(1).max(10_000).optional();

const input = () => ({
  text,
  textGone: text,
  selector: markUndescribed(text.describe('CSS')),
  selectorGone: text,
  url: text.describe('Part, or glob'),
  loadState: z.enum(['domcontentloaded', 'load', 'networkidle']).optional(),
  request: text.describe('Answered: key, part of URL or glob, "POST /api"'),
  download: text.describe('Finished: part of its name, "*": any'),
  console: markUndescribed(text.describe('Part of a message')),
  function: text.describe('JavaScript expression'),
});

type WaitForInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

/** A condition that became true, and what it found. */
type WaitOutcome =
  | { readonly condition: 'text' | 'textGone' | 'function'; readonly wanted: string }
  | { readonly condition: 'selector' | 'selectorGone'; readonly wanted: string }
  | { readonly condition: 'url'; readonly url: string }
  | { readonly condition: 'loadState'; readonly state: string }
  | {
      readonly condition: 'request';
      readonly method: string;
      readonly url: string;
      readonly status?: number;
      readonly error?: string;
    }
  | {
      readonly condition: 'download';
      readonly id: string;
      readonly file: string;
      readonly state: string;
    }
  | { readonly condition: 'console'; readonly level: string; readonly message: string };

type WaitCondition = (value: string, maxMs: number, context: TabContext) => Promise<WaitOutcome>;

const waitInPage = (
  condition: PageCondition,
  ms: number,
  { tab, services: { workers }, requireConsent, signal }: TabContext,
): Promise<number> => waitForPage(tab, condition, ms, signal, { workers, requireConsent });

/** One function per condition: waits, and returns the facts that it found. */
const WAITS: Readonly<Record<keyof WaitForInput, WaitCondition>> = {
  text: async (wanted, ms, context) => {
    await waitInPage({ text: wanted }, ms, context);
    return { condition: 'text', wanted };
  },
  textGone: async (wanted, ms, context) => {
    await waitInPage({ text: wanted, gone: true }, ms, context);
    return { condition: 'textGone', wanted };
  },
  selector: async (wanted, ms, context) => {
    await waitInPage({ selector: wanted }, ms, context);
    return { condition: 'selector', wanted };
  },
  selectorGone: async (wanted, ms, context) => {
    await waitInPage({ selector: wanted, gone: true }, ms, context);
    return { condition: 'selectorGone', wanted };
  },
  url: async (value, ms, { tab, signal }) => ({
    condition: 'url',
    url: await waitForUrl(tab, value, ms, signal),
  }),
  loadState: async (state, ms, { tab, signal }) => {
    if (state === 'networkidle') await waitForIdle(tab, ms, signal);
    else await waitForLoad(tab, state as 'load', ms, signal);
    return { condition: 'loadState', state };
  },
  request: async (value, ms, { tab, session, signal }) => {
    const keyOf = session.traffic.keyOf.bind(session.traffic);
    const { method, url, status, failure } = await waitForRequest(tab, value, keyOf, ms, signal);
    return { condition: 'request', method, url, ...defined({ status, error: failure?.error }) };
  },
  download: async (value, ms, { tab, signal }) => {
    const { id, file, state } = await waitForDownload(tab, value, ms, signal);
    return { condition: 'download', id, file, state };
  },
  console: async (value, ms, { tab, signal }) => {
    const { level, text: message } = await waitForConsole(tab, value, ms, signal);
    return { condition: 'console', level, message };
  },
  function: async (wanted, ms, { tab, signal }) => {
    await waitForFunction(tab, wanted, ms, signal);
    return { condition: 'function', wanted };
  },
};

const quote = (value: string): string =>
  JSON.stringify(value.length > 100 ? `${value.slice(0, 99)}…` : value);

const LOAD_STATES: ReadonlyMap<string, string> = new Map([
  ['networkidle', 'network idle'],
  ['load', 'page loaded'],
  ['domcontentloaded', 'page content loaded'],
]);

const renderReached = (reached: WaitOutcome): string => {
  switch (reached.condition) {
    case 'text':
      return `text ${quote(reached.wanted)} is visible`;
    case 'textGone':
      return `text ${quote(reached.wanted)} is gone`;
    case 'selector':
      return `${reached.wanted.slice(0, 100)} is visible`;
    case 'selectorGone':
      return `${reached.wanted.slice(0, 100)} is gone`;
    case 'function':
      return 'function is true';
    case 'url':
      return `url ${reached.url.slice(0, 300)}`;
    case 'loadState':
      return LOAD_STATES.get(reached.state) ?? reached.state;
    case 'request': {
      const { method, url, status, error = '' } = reached;
      return `${method} ${url.slice(0, 200)} ${status ?? error}`.trim();
    }
    case 'download':
      return `download ${reached.id} ${quote(reached.file)} ${reached.state}`;
    default:
      return `console ${reached.level} ${quote(reached.message)}`;
  }
};

/** Time for the reply after the wait; added to the waiting time for the deadline. */
const RESERVE_MS = 400;
/** The part of it that remains for the reply if the call waited for its tab. */
const MARGIN_MS = 250;

export const waitFor = defineTool({
  name: 'wait_for',
  description:
    'Wait until all given conditions are true. Actions already wait for their own effects: use ' +
    'this for slower ones.',
  returns: '{reached: [{condition, …}], waitedMs}',
  keywords: 'sleep delay pause until loaded appears',
  tier: 1,
  traits: {
    effect: 'read',
    recipe: 'wait',
    consent: (given) => ({ special: listIf(given.function !== undefined, 'script') }),
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'blocked',
    timeoutMs: 10_000,
    reserveMs: RESERVE_MS,
  },
  input,
  prepare: (given) => {
    if (Object.values(given).every((value) => value === undefined))
      throw fail(
        'invalid_argument',
        `wait_for needs a condition: ${Object.keys(input()).join(', ')}.`,
        { argument: 'text' },
      );
    return given;
  },
  examples: [{ text: 'Welcome' }, { textGone: 'Loading' }, { request: 'POST /api/orders' }],
  run: async (given, context) => {
    const startedAt = monotonicMs();
    const { ms, remainingMs } = context.deadline;
    const maxMs = Math.round(Math.max(0, Math.min(ms - RESERVE_MS, remainingMs - MARGIN_MS)));
    const asked = Object.entries(given).filter(
      (entry): entry is [keyof WaitForInput, string] => entry[1] !== undefined,
    );
    const reached = await Promise.all(
      asked.map(([name, value]) => WAITS[name](value, maxMs, context)),
    );
    return { reached, waitedMs: Math.round(monotonicMs() - startedAt) };
  },
  render: ({ reached, waitedMs }) =>
    `${reached.map(renderReached).join('; ')} (after ${waitedMs} ms)`,
});
