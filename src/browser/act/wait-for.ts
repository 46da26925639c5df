// Waits for a condition: page content, URL, loading, network, console, download or a function.
import { callAll } from '../../core/collections.ts';
import { defined, valueIf } from '../../core/defined.ts';
import { quoteText, textBefore } from '../../core/text.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { Deadline, monotonicMs } from '../../core/time.ts';
import { CdpError } from '../cdp/errors.ts';
import type { PageCondition, Waited } from '../../page/act/act-answers.ts';
import { exceptionText, type Frame, isFrameReplaced } from '../tabs/frames.ts';
import type { Download } from '../state/downloads.ts';
import type { PdfAccess } from '../pdf/tab-pdf.ts';
import { showsPdf } from '../pdf/pdf-kind.ts';
import type { Tab } from '../tabs/tab.ts';
import { drawDuringCall } from '../tabs/shown-page.ts';
import type { ConsoleEntry } from '../traffic/console-entry.ts';
import { createAddressMatcher, createRequestMatcher } from '../traffic/request-match.ts';
import { redirectChain, type RequestRecord } from '../traffic/request-record.ts';
import { inPage } from '../tabs/in-page.ts';

const formatMs = (ms: number): string => `${ms} ms`;

const timeoutFailure = (what: string, ms: number, details: object = {}): Failure =>
  fail('timeout', `${what} within ${formatMs(ms)}.`, {
    situation: 'condition_not_met',
    ...details,
  });

/** Evaluates a condition in a frame; returns `not_yet` if the frame goes away. */
const askFrame = async (
  frame: Frame,
  condition: PageCondition,
  ms: number,
  signal: AbortSignal,
): Promise<Waited> => {
  try {
    return await frame.call(inPage.more.waitFor, [condition, ms], signal);
  } catch (error) {
    if (isFrameReplaced(frame, error)) return 'not_yet';
    throw error;
  }
};

/** Duration of one round of waiting. New frames and documents are included in the next round. */
const SLICE_MS = 500;

/**
 * Waits until a text or an element is in any frame, or gone from all; returns the duration (ms).
 */
export const waitForPage = async (
  tab: Tab,
  condition: PageCondition,
  maxMs: number,
  signal: AbortSignal,
  access?: PdfAccess,
): Promise<number> => {
  const startedAt = monotonicMs();
  const what = condition.text ?? condition.selector ?? '';
  for (;;) {
    drawDuringCall(tab);
    const left = maxMs - (monotonicMs() - startedAt);
    const ms = Math.max(0, left);
    const answers =
      access && showsPdf(tab)
        ? [await askPdf(tab, condition, ms, { ...access, signal })]
        : await ask(tab, tab.frames.all(), condition, Math.min(ms, SLICE_MS), signal);
    if (answers.includes('bad_selector'))
      throw fail(
        'invalid_argument',
        `${JSON.stringify(what.slice(0, 200))} is not a valid CSS selector or XPath.`,
        { argument: 'selector' },
      );
    const met = condition.gone
      ? answers.every((answer) => answer === 'met')
      : answers.includes('met');
    if (met) return monotonicMs() - startedAt;
    if (left <= 0)
      throw timeoutFailure(
        `${JSON.stringify(what.slice(0, 200))} was ` +
          (condition.gone ? 'still visible' : 'not visible'),
        maxMs,
      );
  }
};

/** A PDF has text but no elements, and only another document changes the answer. */
const askPdf = async (
  tab: Tab,
  { text, gone = false }: PageCondition,
  ms: number,
  options: PdfAccess & { readonly signal: AbortSignal },
): Promise<Waited> => {
  const { includesPdfText } = await import('../pdf/tab-pdf.ts');
  const isThere = text !== undefined && (await includesPdfText(tab, text, options));
  if (isThere !== gone) return 'met';
  using patience = new Deadline(ms, undefined, options.signal);
  // The end of the time is an answer, too.
  await tab.events.next('navigated', undefined, patience.signal).catch(() => {});
  options.signal.throwIfAborted();
  return 'not_yet';
};

/** The first frame that meets the condition ends the wait; with `gone`, all frames must meet it. */
const ask = async (
  tab: Tab,
  frames: readonly Frame[],
  condition: PageCondition,
  ms: number,
  signal: AbortSignal,
): Promise<Waited[]> => {
  using slice = new Deadline(ms + SLICE_MS, undefined, signal);
  const calls = frames.map((frame) => askFrame(frame, condition, ms, slice.signal));
  const off: (() => void)[] = [];
  const another = new Promise<Waited[]>((resolve) =>
    off.push(tab.events.on('navigated', () => resolve(['not_yet']))),
  );
  const any = condition.gone
    ? Promise.all(calls)
    : Promise.race([
        Promise.all(calls),
        ...calls.map((one) =>
          one.then((answer) => (answer === 'not_yet' ? new Promise<Waited[]>(() => {}) : [answer])),
        ),
      ]);
  try {
    return await Promise.race([any, another]);
  } catch (error) {
    if (slice.signal.aborted && !signal.aborted) return ['not_yet'];
    throw error;
  } finally {
    for (const one of calls) one.catch(() => {});
    callAll(off);
  }
};

/** Resolves with the first defined value of `now`, which is called at once and after each event. */
const until = <T>(
  what: string,
  maxMs: number,
  signal: AbortSignal,
  now: () => T | undefined,
  subscribe: (check: () => void) => readonly (() => void)[],
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const limit = new Deadline(maxMs, () => timeoutFailure(what, maxMs), signal);
    const off: (() => void)[] = [];
    const finish = (act: () => void): void => {
      limit[Symbol.dispose]();
      callAll(off);
      act();
    };
    const check = (): void => {
      const value = now();
      if (value !== undefined) finish(() => resolve(value));
    };
    limit.signal.addEventListener(
      'abort',
      () => finish(() => reject(limit.signal.reason as Error)),
      { once: true },
    );
    off.push(...subscribe(check));
    check();
  });

export const waitForUrl = (
  tab: Tab,
  pattern: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<string> => {
  const fits = createAddressMatcher(pattern);
  return until(
    `The URL ${quoteText(tab.shown.url)} did not match ${JSON.stringify(pattern)}`,
    maxMs,
    signal,
    () => valueIf(fits(tab.shown.url), tab.shown.url),
    (check) => [tab.events.on('navigated', check), tab.events.on('moved', check)],
  );
};

/** Waits until the current document has reached the state; a navigation restarts the wait. */
export const waitForLoad = async (
  tab: Tab,
  state: 'domcontentloaded' | 'load',
  maxMs: number,
  signal: AbortSignal,
): Promise<string> => {
  const endsAt = monotonicMs() + maxMs;
  let steps = 0;
  const step = (): unknown => steps++;
  const off = [
    tab.events.on('lifecycle', ({ name }) => LOADING_STEPS.has(name) && step()),
    tab.events.on('navigated', step),
  ];
  try {
    for (;;) {
      const before = steps; // counts events that arrive during the evaluation
      if (await isReady(tab, state, signal)) return state;
      const left = endsAt - monotonicMs();
      if (left <= 0) throw timeoutFailure(`The page was still loading (${state})`, maxMs);
      // A document from the back-forward cache is complete and emits no lifecycle events.
      if (steps === before) await nextStep(tab, Math.min(left, SLICE_MS), signal);
    }
  } finally {
    callAll(off);
  }
};

const LOADING_STEPS: ReadonlySet<string> = new Set(['load', 'DOMContentLoaded']);

/** Whether the document has reached the state; false if it is being replaced. */
const isReady = async (
  tab: Tab,
  state: 'domcontentloaded' | 'load',
  signal: AbortSignal,
): Promise<boolean> => {
  try {
    const uniqueContextId = await tab.frames.main.contextId('isolated', signal);
    const { result } = await tab.cdp.send(
      'Runtime.evaluate',
      { expression: 'document.readyState', uniqueContextId, returnByValue: true },
      signal,
    );
    return (
      result.value === 'complete' ||
      (state === 'domcontentloaded' && result.value === 'interactive')
    );
  } catch (error) {
    if (isFrameReplaced(tab.frames.main, error)) return false;
    throw error;
  }
};

/** Waits for a lifecycle event, a navigation, or `ms`. */
const nextStep = async (tab: Tab, ms: number, signal: AbortSignal): Promise<void> => {
  using limit = new Deadline(ms, undefined, signal);
  try {
    await Promise.race([
      tab.events.next('lifecycle', ({ name }) => LOADING_STEPS.has(name), limit.signal),
      tab.events.next('navigated', undefined, limit.signal),
    ]);
  } catch (error) {
    if (signal.aborted) throw error;
  }
};

/** The network is idle if no request starts for this time; endless requests are ignored. */
const IDLE_MS = 500;

export const waitForIdle = async (
  tab: Tab,
  maxMs: number,
  signal: AbortSignal,
): Promise<number> => {
  const { traffic } = tab;
  const endsAt = monotonicMs() + maxMs;
  for (;;) {
    if (traffic.inFlight() === 0 && (await quietFor(tab, IDLE_MS, signal))) return IDLE_MS;
    const left = endsAt - monotonicMs();
    if (left <= 0) throw timeoutFailure(`${traffic.inFlight()} requests were still pending`, maxMs);
    if (traffic.inFlight() > 0) await waitForEnd(tab, Math.min(left, IDLE_MS), signal);
  }
};

/** Whether no request starts within `ms`. */
const quietFor = async ({ traffic }: Tab, ms: number, signal: AbortSignal): Promise<boolean> => {
  using limit = new Deadline(ms, undefined, signal);
  try {
    await traffic.events.next('request', undefined, limit.signal);
    return false;
  } catch (error) {
    if (signal.aborted) throw error;
    return true;
  }
};

/** Waits for the end of any request, or `ms`, because a stream never ends. */
const waitForEnd = async ({ traffic }: Tab, ms: number, signal: AbortSignal): Promise<void> => {
  using limit = new Deadline(ms, undefined, signal);
  try {
    await Promise.race([
      traffic.events.next('finished', undefined, limit.signal),
      traffic.events.next('failed', undefined, limit.signal),
    ]);
  } catch (error) {
    if (signal.aborted) throw error;
  }
};

/**
 * Waits for an answered request, by its key or a URL pattern. Requests since the start of the
 * current document count, including those of frames, workers and later documents.
 */
export const waitForRequest = (
  tab: Tab,
  wanted: string,
  keyOf: (record: RequestRecord) => string | undefined,
  maxMs: number,
  signal: AbortSignal,
): Promise<RequestRecord> => {
  const fits = createRequestMatcher(wanted);
  const { traffic } = tab;
  const document = traffic.document(tab.frames.main.loaderId);
  const from = document ? (redirectChain(document)[0] ?? document).sequence : 0;
  const known = (): RequestRecord | undefined =>
    traffic.requests
      .since(from - 1)
      .find((record) => record.state !== 'pending' && fits(record, keyOf(record)));
  return until(
    `No request to ${JSON.stringify(wanted.slice(0, 200))} got a response`,
    maxMs,
    signal,
    known,
    (check) => [
      traffic.events.on('response', check),
      traffic.events.on('finished', check),
      traffic.events.on('failed', check),
    ],
  );
};

/**
 * Waits for a console message that contains the text. Earlier messages of the current document
 * count.
 */
export const waitForConsole = (
  tab: Tab,
  text: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<ConsoleEntry> => {
  const since = tab.traffic.document(tab.frames.main.loaderId)?.startedAt ?? 0;
  return until(
    `No console message contained ${JSON.stringify(text.slice(0, 200))}`,
    maxMs,
    signal,
    () => [...tab.traffic.console].find((entry) => entry.at >= since && entry.text.includes(text)),
    (check) => [tab.traffic.events.on('console', check)],
  );
};

/** Waits for a finished download, by part of its file name or URL. Earlier downloads count. */
export const waitForDownload = (
  tab: Tab,
  name: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<Download> => {
  const matches = createAddressMatcher(name);
  const fits = ({ file, url }: Download): boolean => name === '*' || matches(file) || matches(url);
  const ended = (): Download | undefined =>
    tab.downloads.find((download) => download.state !== 'in_progress' && fits(download));
  return until(
    `No download of ${JSON.stringify(name.slice(0, 100))} finished`,
    maxMs,
    signal,
    ended,
    (check) => [tab.events.on('download', check)],
  );
};

/**
 * Waits until the expression is truthy. It is evaluated every frame, and again after a navigation.
 */
export const waitForFunction = async (
  tab: Tab,
  code: string,
  maxMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const endsAt = monotonicMs() + maxMs;
  let lastError: string | undefined;
  for (;;) {
    drawDuringCall(tab);
    const left = endsAt - monotonicMs();
    if (left <= 0)
      throw timeoutFailure(
        'The function did not return a truthy value',
        maxMs,
        defined({ last_error: lastError }),
      );
    const outcome = await tryFunction(tab, code, left, signal);
    if (outcome === true) return;
    lastError = outcome === false ? lastError : outcome;
  }
};

const PROBE = (code: string, ms: number): string => `(async () => {
  const ends = performance.now() + ${Math.max(0, ms)};
  let error;
  for (;;) {
    try {
      const test = (${code}\n);
      if (await (typeof test === 'function' ? test() : test)) return true;
      error = undefined;
    } catch (thrown) { error = String(thrown); }
    if (performance.now() >= ends) return error ?? false;
    await new Promise((resolve) => {
      const stop = setTimeout(resolve, 50);
      requestAnimationFrame(() => { clearTimeout(stop); resolve(); });
    });
  }
})()`;

const invalidFunctionFailure = (exception: string): Failure =>
  fail(
    'invalid_argument',
    `The function is not a JavaScript expression: ${quoteText(textBefore(exception, '\n'))}.`,
    { argument: 'function' },
  );

/** Returns true, false, or the text of the last exception. */
const tryFunction = async (
  tab: Tab,
  code: string,
  ms: number,
  signal: AbortSignal,
): Promise<boolean | string> => {
  const { main } = tab.frames;
  try {
    const uniqueContextId = await main.contextId('main', signal);
    const { result, exceptionDetails } = await main.session.send(
      'Runtime.evaluate',
      {
        expression: PROBE(code, Math.min(ms, SLICE_MS)),
        uniqueContextId,
        awaitPromise: true,
        returnByValue: true,
      },
      signal,
    );
    if (exceptionDetails) throw invalidFunctionFailure(exceptionText(exceptionDetails));
    return result.value as boolean | string;
  } catch (error) {
    if (isFrameReplaced(main, error) || error instanceof CdpError) return false;
    throw error;
  }
};
