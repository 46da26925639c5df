// Turns the outcome into one redacted reply: errors become structured failures, not stack traces.
import { defined, valueIf } from '../core/defined.ts';
import {
  fail,
  Failure,
  type FailureCode,
  type FailureDetails,
  FAILURES,
  toFailure,
} from '../core/failure.ts';
import { type HintReader, renderHint } from '../core/hint-text.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import { describeAnswered, describeDialog } from '../browser/tabs/dialog.ts';
import type { CallEffect } from '../features/script/inner-call.ts';
import { noFindings } from '../policy/sanitise-text.ts';
import { sanitiseLargeData } from '../policy/sanitise.ts';
import type { Call, Reply, ReplyFacts, Step } from './call.ts';
import { redactorFor } from './quote.ts';

export const answer: Step<Call, Call> = async (call, next) => {
  const reply = await next(call).catch((error: unknown) => buildFailure(call, error));
  nameDialogs(call);
  reportBlocked(call);
  const cleaned = { ...reply, notes: await clean(call, call.notes) };
  reportEnd(call, cleaned);
  if (call.request.inner) return { ...cleaned, ...defined({ effect: findEffect(call, reply) }) };
  return call.request.shell ? { ...cleaned, facts: collectFacts(call, reply) } : cleaned;
};

/** Failures of a call that has not done anything. */
const BEFORE_EFFECTS: ReadonlySet<FailureCode> = new Set([
  'invalid_argument',
  'tool_not_allowed',
  'consent_denied',
  'human_has_control',
  'domain_not_allowed',
  'secret_not_allowed_here',
  'file_not_allowed',
  'no_page',
  'tab_not_found',
  'element_not_found',
  'ambiguous_target',
  'stale_ref',
  'target_covered',
  'target_hidden',
  'target_disabled',
  'target_moving',
  'not_editable',
]);

/** A call that was rejected before its tool ran has no work. */
const findEffect = ({ course }: Call, { failure }: Reply): CallEffect | undefined => {
  const { toolCall, work } = course;
  if (!work || toolCall?.effect !== 'act') return undefined;
  if (failure && BEFORE_EFFECTS.has(failure.code) && failure.details['done'] === undefined)
    return undefined;
  return toolCall.opens(undefined) === undefined ? 'acted' : 'opened';
};

/** Reports the finished call to viewers; without one the event has no listener. */
const reportEnd = ({ services, course: { entry, toolCall } }: Call, reply: Reply): void => {
  if (entry) services.calls.emit('ended', { entry, acts: toolCall?.effect === 'act', reply });
};

const buildFailure = async (call: Call, error: unknown): Promise<Reply> => {
  const failure = toFailure(toChromeFailure(error), (defect) => call.services.log.defect(defect));
  const explained = await explainFailure(call, failure);
  return { failure: await cleanFailure(call, explained), images: [], notes: [] };
};

/** Adds what the call has done: it must then not be repeated without a look at the page. */
const explainFailure = async ({ course }: Call, failure: Failure): Promise<Failure> => {
  const explained = await course.explainFailure?.();
  if (!explained) return failure;
  const { code, message, kind } = failure;
  const { hint, retryable = kind.retryable, ...details } = failure.details;
  const all = { ...explained, ...details };
  if (!retryable || explained.retryable !== false)
    return new Failure(code, message, { ...all, ...defined({ hint, retryable }) });
  return fail(code, message, { ...all, retryable: false, situation: 'partly_done' });
};

/** A failure that cannot be cleaned, for lack of memory or time, keeps only its code. */
const cleanFailure = async (call: Call, { code, message, details }: Failure): Promise<Failure> => {
  try {
    const cleaned = sentence(await clean(call, message));
    return new Failure(
      code,
      cleaned,
      withoutGiants(await clean(call, withHint(call, code, details))),
    );
  } catch (error) {
    call.services.log.warn('a failure could not be redacted', error);
    return new Failure(code, 'The message was too long to be redacted.');
  }
};

const collectFacts = ({ course, services }: Call, { failure }: Reply): ReplyFacts => {
  const { session: own } = course;
  const others = services.browser.sessions.filter((session) => session !== own);
  return defined({
    negative: valueIf(!failure && course.result?.isNegative, true as const),
    tabs: own && Object.fromEntries(own.shortIds),
    otherTabs: valueIf(
      others.length > 0,
      Object.fromEntries(others.flatMap(({ shortIds }) => [...shortIds])),
    ),
  });
};

const findReader = ({ request }: Call): HintReader => (request.shell ? 'shell' : 'model');

/** The hint in the words of the reader; hints for models are rendered by the failure itself. */
const withHint = (call: Call, code: FailureCode, details: FailureDetails): FailureDetails => {
  const kind: { readonly hint?: string } = FAILURES[code];
  const { hint = kind.hint } = details;
  if (hint === undefined || !call.request.shell) return details;
  return { ...details, hint: renderHint(hint, 'shell') };
};

/** Messages quote arguments, which can be long. */
const MAX_MESSAGE_CHARS = 1000;

const sentence = (message: string): string =>
  message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message;

/** Details quote pages: a URL can have two megabytes. */
const MAX_DETAIL_CHARS = 4000;

const withoutGiants = <T extends object>(details: T): T =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && value.length > MAX_DETAIL_CHARS
        ? `${value.slice(0, MAX_DETAIL_CHARS)}…`
        : value,
    ]),
  ) as T;

/** Adds a note for each dialog, whatever the call was. */
const nameDialogs = (call: Call): void => {
  const { notes } = call;
  const { tab } = call.course;
  for (const dialog of tab?.answeredDialogs ?? [])
    notes.push(`[${describeAnswered(withoutSecrets(call, dialog))}]`);
  tab?.answeredDialogs.clear();
  if (!tab?.dialog) return;
  const dialog = describeDialog(withoutSecrets(call, tab.dialog));
  notes.push(`[${dialog}; answer it with ${renderHint('[[dialog]]', findReader(call))}]`);
};

/** More than a note shows, so that a secret at its end is still recognised. */
const MAX_DIALOG_CHARS = 10_000;

const withoutSecrets = <T extends { readonly message: string }>(call: Call, dialog: T): T => ({
  ...dialog,
  message: redactorFor(call).text(dialog.message.slice(0, MAX_DIALOG_CHARS)),
});

/** Reports popups and downloads above the limits that the page started without an action. */
const reportBlocked = ({ course, notes }: Call): void => {
  const report = course.tab?.allowance.takeReport();
  if (report !== undefined) notes.push(`[${report}]`);
};

/** Messages and notes quote pages: dialogs, titles, URLs with tokens. */
const clean = async <T>(call: Call, said: T): Promise<T> => {
  const { config, workers } = call.services;
  const seen = config.sanitizeContent
    ? await sanitiseLargeData(said, noFindings(), {}, { workers })
    : said;
  return redactorFor(call).largeData(seen);
};
