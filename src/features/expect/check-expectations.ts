// Checks expectations about a page: waits until all are true, and reports the difference otherwise.
import { defined, valueIf } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { formatAddress, quoteText, textIf } from '../../core/text.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import { waitForPage, waitForRequest, waitForUrl } from '../../browser/act/wait-for.ts';
import {
  findElements,
  type FindResult,
  type FoundElement,
} from '../../browser/read/find-elements.ts';
import { showsPdf } from '../../browser/pdf/pdf-kind.ts';
import type { OpenPdf, PdfAccess } from '../../browser/pdf/tab-pdf.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';

export const ELEMENT_STATES = [
  'visible',
  'hidden',
  'enabled',
  'disabled',
  'checked',
  'unchecked',
  'expanded',
  'collapsed',
  'selected',
  'pressed',
  'focused',
  'invalid',
] as const;

export type ElementState = (typeof ELEMENT_STATES)[number];

export interface Expectations {
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly textGone?: string | undefined;
  readonly query?: string | undefined;
  readonly role?: string | undefined;
  readonly label?: string | undefined;
  readonly selector?: string | undefined;
  readonly near?: string | undefined;
  readonly state?: ElementState | undefined;
  readonly value?: string | undefined;
  readonly count?: number | undefined;
  readonly request?: string | undefined;
  readonly status?: number | undefined;
  readonly noConsoleErrors?: boolean | undefined;
}

/** One checked expectation. */
export interface CheckedExpectation {
  readonly check: string;
  readonly passed: boolean;
  readonly expected: string;
  /** The difference; absent if the check passed. */
  readonly actual?: string;
}

export interface ExpectationReport {
  readonly passed: boolean;
  readonly checks: readonly CheckedExpectation[];
  readonly waitedMs: number;
}

export interface ExpectationContext {
  readonly tab: Tab;
  readonly session: Session;
  readonly pdf: PdfAccess;
  readonly maxMs: number;
  readonly signal: AbortSignal;
}

type ExpectationCheck = (context: ExpectationContext) => Promise<CheckedExpectation>;

export const checkExpectations = async (
  expected: Expectations,
  context: ExpectationContext,
): Promise<ExpectationReport> => {
  const startedAt = monotonicMs();
  const waited = await Promise.all(listChecks(expected).map((check) => check(context)));
  // Errors are counted last: those that occur during the wait count too.
  const errors = expected.noConsoleErrors ? [checkConsole(context)] : [];
  const checks = [...waited, ...errors];
  return {
    passed: checks.every(({ passed }) => passed),
    checks,
    waitedMs: Math.round(monotonicMs() - startedAt),
  };
};

const ELEMENT_FIELDS = ['query', 'role', 'label', 'selector', 'near'] as const;

/** Whether the expectations name an element. */
const namesElement = (expected: Expectations): boolean =>
  ELEMENT_FIELDS.some((name) => expected[name] !== undefined);

const listChecks = (expected: Expectations): ExpectationCheck[] => {
  const { url, title, text, textGone, request } = expected;
  const checks: (ExpectationCheck | false)[] = [
    url !== undefined && ((context) => checkUrl(url, context)),
    title !== undefined && ((context) => checkTitle(title, context)),
    text !== undefined && ((context) => checkText(text, false, context)),
    textGone !== undefined && ((context) => checkText(textGone, true, context)),
    namesElement(expected) && ((context) => checkElement(expected, context)),
    request !== undefined && ((context) => checkRequest(request, expected.status, context)),
  ];
  return checks.filter((check) => check !== false);
};

/** Converts the timeout of a wait to a failed check. */
const checkByWaiting = async (
  check: string,
  expected: string,
  wait: () => Promise<unknown>,
  describeActual: () => string,
): Promise<CheckedExpectation> => {
  try {
    await wait();
    return { check, passed: true, expected };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'timeout') throw error;
    return { check, passed: false, expected, actual: describeActual() };
  }
};

const checkUrl = (url: string, { tab, maxMs, signal }: ExpectationContext) =>
  checkByWaiting(
    'url',
    url,
    () => waitForUrl(tab, url, maxMs, signal),
    () => formatAddress(tab.shown.url),
  );

const checkTitle = async (
  title: string,
  context: ExpectationContext,
): Promise<CheckedExpectation> => {
  const { tab, maxMs, signal } = context;
  let actual = '';
  const read = async (): Promise<boolean> => {
    const pdf = showsPdf(tab) ? await readPdf(context) : tab.shown;
    actual = pdf.title;
    return actual.includes(title);
  };
  const passed = await becomesTrue(read, maxMs, signal);
  const facts = { check: 'title', passed, expected: title };
  return passed ? facts : { ...facts, actual };
};

const readPdf = async ({ tab, pdf, signal }: ExpectationContext): Promise<OpenPdf> => {
  const { readTabPdf } = await import('../../browser/pdf/tab-pdf.ts');
  return readTabPdf(tab, { ...pdf, signal });
};

const checkText = (text: string, gone: boolean, { tab, pdf, maxMs, signal }: ExpectationContext) =>
  checkByWaiting(
    gone ? 'text_gone' : 'text',
    text,
    () => waitForPage(tab, { text, gone }, maxMs, signal, pdf),
    () => (gone ? 'the text is visible' : 'the text is not visible'),
  );

const checkRequest = async (
  request: string,
  status: number | undefined,
  { tab, session, maxMs, signal }: ExpectationContext,
): Promise<CheckedExpectation> => {
  const keyOf = session.traffic.keyOf.bind(session.traffic);
  let answered: number | undefined;
  const expected = status === undefined ? request : `${request} ${status}`;
  const result = await checkByWaiting(
    'request',
    expected,
    async () => (answered = (await waitForRequest(tab, request, keyOf, maxMs, signal)).status),
    () => 'no such request got a response',
  );
  if (!result.passed || status === undefined || answered === status) return result;
  return { ...result, passed: false, actual: `status ${answered ?? 'missing'}` };
};

/** Console errors of the current document. */
const checkConsole = ({ tab }: ExpectationContext): CheckedExpectation => {
  const since = tab.traffic.document(tab.frames.main.loaderId)?.startedAt ?? 0;
  const errors = [...tab.traffic.console].filter(
    ({ level, at, handledLater }) => level === 'error' && at >= since && !handledLater,
  );
  const facts = { check: 'no_console_errors', passed: errors.length === 0, expected: 'no error' };
  const [first] = errors;
  if (!first) return facts;
  const more = textIf(errors.length > 1, ` and ${errors.length - 1} more`);
  return { ...facts, actual: `${quoteText(first.text)}${more}` };
};

/** Elements of which at most this many are examined. */
const MAX_ELEMENTS = 50;

const checkElement = async (
  expected: Expectations,
  { tab, maxMs, signal }: ExpectationContext,
): Promise<CheckedExpectation> => {
  let difference: string | undefined;
  const passed = await becomesTrue(
    async () => {
      difference = showsPdf(tab)
        ? 'the tab shows a PDF, which has no elements'
        : describeDifference(expected, await search(tab, expected, signal));
      return difference === undefined;
    },
    maxMs,
    signal,
  );
  const facts = { check: 'element', passed, expected: describeElement(expected) };
  return passed ? facts : defined({ ...facts, actual: difference });
};

const search = (
  tab: Tab,
  { query, role, label, selector, near }: Expectations,
  signal: AbortSignal,
): Promise<FindResult> => {
  const spec = defined({ query, role, label, selector, near });
  return findElements(tab, { ...spec, limit: MAX_ELEMENTS, waitForMs: 0 }, signal);
};

/** Words that `find` adds to the states of an element that cannot be seen. */
const UNSEEN = new Set(['hidden', 'inert', 'behind-dialog']);

const listStates = ({ states }: FoundElement): string[] => states.split(' ');

const isVisible = (element: FoundElement): boolean =>
  !listStates(element).some((word) => UNSEEN.has(word));

const has =
  (word: string, wanted = true) =>
  (element: FoundElement): boolean =>
    listStates(element).includes(word) === wanted;

const STATE_CHECKS: Readonly<Record<ElementState, (element: FoundElement) => boolean>> = {
  visible: isVisible,
  hidden: (element) => !isVisible(element),
  enabled: has('disabled', false),
  disabled: has('disabled'),
  checked: has('checked'),
  unchecked: has('checked', false),
  expanded: has('expanded'),
  collapsed: has('collapsed'),
  selected: has('selected'),
  pressed: has('pressed'),
  focused: has('focused'),
  invalid: has('invalid'),
};

/** Returns the difference; undefined if the elements match the expectation. */
const describeDifference = (
  { state = 'visible', value, count }: Expectations,
  { hits, total }: FindResult,
): string | undefined => {
  const shown = hits.filter(isVisible);
  if (count !== undefined)
    return valueIf(shown.length !== count, `${shown.length} elements are visible`);
  if (state === 'hidden') return describeShown(shown);
  const [element] = shown;
  if (!element) return total > 0 ? 'the element is not visible' : 'no element matches';
  const name = `${element.role} ${quoteText(element.name, 60)}`;
  if (!STATE_CHECKS[state](element)) return `${name} is ${element.states || 'in no such state'}`;
  const { value: actual = '' } = element;
  const isSame = value === undefined || actual === value.replaceAll('\t', ' ');
  return isSame ? undefined : `${name} has ${quoteText(actual)}`;
};

const describeShown = ([element]: readonly FoundElement[]): string | undefined =>
  element && `${element.role} ${quoteText(element.name, 60)} is visible`;

const describeElement = (expected: Expectations): string => {
  const { state = 'visible', value, count } = expected;
  const target = ELEMENT_FIELDS.flatMap((name) => expected[name] ?? []).join(' ');
  if (count !== undefined) return `${target}: ${count} visible`;
  return value === undefined ? `${target}: ${state}` : `${target}: value ${quoteText(value)}`;
};

/** Styles and values change without an event: they are read again after this time. */
const RECHECK_MS = 100;

const becomesTrue = async (
  test: () => Promise<boolean>,
  maxMs: number,
  signal: AbortSignal,
): Promise<boolean> => {
  const endsAt = monotonicMs() + maxMs;
  for (;;) {
    if (await test()) return true;
    const left = endsAt - monotonicMs();
    if (left <= 0) return false;
    await sleep(Math.min(left, RECHECK_MS), signal);
  }
};

/** Rejects expectations that state nothing. */
export const requireExpectation = (expected: Expectations): void => {
  const { state, value, count } = expected;
  if (Object.values(expected).every((one) => one === undefined))
    throw fail('invalid_argument', 'At least one expectation is needed.', { argument: 'url' });
  const isAboutElement = [state, value, count].some((one) => one !== undefined);
  if (isAboutElement && !namesElement(expected))
    throw fail('invalid_argument', '"state", "value" and "count" need an element.', {
      argument: 'query',
    });
};
