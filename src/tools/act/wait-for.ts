// wait_for: returns as soon as all given conditions are true.
import { z } from 'zod';
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
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const text = z.string().min(1).max(10_000).optional();

const input = () => ({
  text,
  textGone: text,
  selector: text.describe('CSS'),
  selectorGone: text,
  url: text.describe('Part of it, or a glob'),
  loadState: z.enum(['domcontentloaded', 'load', 'networkidle']).optional(),
  request: text.describe('Response to: key, part of URL or glob, "POST /api"'),
  download: text.describe('Finished: part of its name, "*": any'),
  console: text.describe('Part of it'),
  function: text.describe('JavaScript expression, truthy'),
});

type WaitForInput = z.output<z.ZodObject<ReturnType<typeof input>>>;
type WaitCondition = (value: string, maxMs: number, context: TabContext) => Promise<string>;

const quote = (value: string): string =>
  JSON.stringify(value.length > 100 ? `${value.slice(0, 99)}…` : value);

/** One function per condition: waits, and returns a short text about the state. */
const WAITS: Readonly<Record<keyof WaitForInput, WaitCondition>> = {
  text: async (value, ms, { tab, signal }) => (
    await waitForPage(tab, { text: value }, ms, signal),
    `text ${quote(value)} is visible`
  ),
  textGone: async (value, ms, { tab, signal }) => (
    await waitForPage(tab, { text: value, gone: true }, ms, signal),
    `text ${quote(value)} is gone`
  ),
  selector: async (value, ms, { tab, signal }) => (
    await waitForPage(tab, { selector: value }, ms, signal),
    `${value.slice(0, 100)} is visible`
  ),
  selectorGone: async (value, ms, { tab, signal }) => (
    await waitForPage(tab, { selector: value, gone: true }, ms, signal),
    `${value.slice(0, 100)} is gone`
  ),
  url: async (value, ms, { tab, signal }) =>
    `url ${(await waitForUrl(tab, value, ms, signal)).slice(0, 300)}`,
  loadState: async (value, ms, { tab, signal }) => {
    if (value === 'networkidle') await waitForIdle(tab, ms, signal);
    else await waitForLoad(tab, value as 'load', ms, signal);
    return value === 'networkidle'
      ? 'network idle'
      : `page ${value === 'load' ? 'loaded' : 'content loaded'}`;
  },
  request: async (value, ms, { tab, session, signal }) => {
    const keyOf = session.traffic.keyOf.bind(session.traffic);
    const { method, url, status, failure } = await waitForRequest(tab, value, keyOf, ms, signal);
    return `${method} ${url.slice(0, 200)} ${status ?? failure?.error ?? ''}`.trim();
  },
  download: async (value, ms, { tab, signal }) => {
    const { id, file, state } = await waitForDownload(tab, value, ms, signal);
    return `download ${id} ${quote(file)} ${state}`;
  },
  console: async (value, ms, { tab, signal }) => {
    const { level, text: message } = await waitForConsole(tab, value, ms, signal);
    return `console ${level} ${quote(message)}`;
  },
  function: async (value, ms, { tab, signal }) => (
    await waitForFunction(tab, value, ms, signal),
    'function is true'
  ),
};

/** Time for the reply after the wait; added to the waiting time for the deadline. */
const RESERVE_MS = 400;
/** The part of it that remains for the reply if the call waited for its tab. */
const MARGIN_MS = 250;

export const waitFor = defineTool({
  name: 'wait_for',
  description:
    'Wait until all given conditions are true (shown, gone or happened). Actions already wait ' +
    'for their own effects: use this for slower ones.',
  keywords: 'sleep delay pause until loaded appears',
  tier: 1,
  traits: {
    effect: 'read',
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
    const holds = await Promise.all(
      asked.map(([name, value]) => WAITS[name](value, maxMs, context)),
    );
    return { holds, waitedMs: Math.round(monotonicMs() - startedAt) };
  },
  render: ({ holds, waitedMs }) => `${holds.join('; ')} (after ${waitedMs} ms)`,
});
