// Calls a function of a bundled page script in a frame. The script leaves nothing in the page.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import type { NoSubject, Subject, Suspicious, RefTarget } from '../../page/read-answers.ts';
import { exceptionText, type Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { openClosedRoots } from './closed-roots.ts';
import { requirePlace, staleRefFailure } from './resolve-ref.ts';

/** Chrome terminates a script that runs longer, so that the page stays usable. */
const MAX_SCRIPT_MS = 20_000;

/** A closed shadow root may contain elements with closed roots. */
const MAX_ROOT_ROUNDS = 5;

/** The subject of a call: the whole page, or one element by its ref or CSS selector. */
export interface ReadTarget {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
}

/** A bundled script, loaded on first use, so that it does not delay the server start. */
export type LoadedScript = Promise<{ readonly default: string }>;

/**
 * Calls the function `call` of a bundled script in the isolated world. Arguments and result are
 * JSON.
 */
export const callFrames = async <T>(
  frame: Frame,
  source: () => LoadedScript,
  call: string,
  args: object,
  signal: AbortSignal,
): Promise<T> => {
  const uniqueContextId = await frame.contextId('isolated', signal);
  const { default: script } = await source();
  const expression = `(()=>{${script};return ${call}(${JSON.stringify(args)})})()`;
  const { result, exceptionDetails } = await frame.session.send(
    'Runtime.evaluate',
    {
      expression,
      uniqueContextId,
      returnByValue: true,
      awaitPromise: true,
      timeout: MAX_SCRIPT_MS,
    },
    signal,
  );
  if (exceptionDetails) throw scriptError(call, exceptionText(exceptionDetails));
  return result.value as T;
};

const scriptError = (call: string, text: string): Error =>
  /terminated/i.test(text)
    ? fail('timeout', `The page was not read within ${MAX_SCRIPT_MS / 1000} s.`, {
        hint: 'Read a part of it: pass a selector or a ref.',
      })
    : new Error(`page-script ${call}: ${text}`);

interface Titled {
  readonly title: string;
}

/** A bundled script, its function to call, and the arguments besides the subject. */
interface Question {
  readonly source: () => LoadedScript;
  readonly call: string;
  readonly args: object;
}

interface FrameAnswer<T> {
  readonly answer: T;
  /** The frame that responded. Element ids are valid in its document. */
  readonly frame: Frame;
}

const isNoSubject = (answer: object): answer is NoSubject => 'problem' in answer;

/**
 * Calls a script for a target and throws if the target is missing. Also updates the tab's title.
 */
export const callOwnFrame = async <T extends Titled>(
  tab: Tab,
  place: ReadTarget,
  question: Question,
  signal: AbortSignal,
): Promise<FrameAnswer<T>> => {
  const answered = await callTargetFrame<T>(tab, place, question, signal);
  if (answered) return answered;
  if (place.ref !== undefined) throw await staleRefFailure(tab, place.ref, signal);
  throw fail('element_not_found', `No element matches ${(place.selector ?? '').slice(0, 200)}.`, {
    selector: place.selector,
  });
};

/** Like callOwnFrame, but returns undefined if the target is missing. */
export const callTargetFrame = async <T extends Titled>(
  tab: Tab,
  { ref, selector }: ReadTarget,
  question: Question,
  signal: AbortSignal,
): Promise<FrameAnswer<T> | undefined> => {
  if (ref !== undefined) {
    const { frame, id } = await elementPlace(tab, ref, signal);
    return askFrame<T>(tab, frame, question, { id }, signal);
  }
  if (selector === undefined) return askFrame<T>(tab, tab.frames.main, question, undefined, signal);
  for (const frame of tab.frames.all()) {
    const found = await askFrame<T>(tab, frame, question, { selector }, signal).catch(
      (error: unknown) => {
        if (frame === tab.frames.main || !isGone(error)) throw error;
        return undefined;
      },
    );
    if (found) return found;
  }
  return undefined;
};

const askFrame = async <T extends Titled>(
  tab: Tab,
  frame: Frame,
  { source, call, args }: Question,
  subject: Subject | undefined,
  signal: AbortSignal,
): Promise<FrameAnswer<T> | undefined> => {
  const answer = await callUntilOpen<T | NoSubject>(
    frame,
    { source, call, args: defined({ ...args, subject: subject ? subject : undefined }) },
    signal,
  );
  if (frame === tab.frames.main) tab.title = answer.title;
  if (!isNoSubject(answer)) return { answer, frame };
  if (answer.problem === 'bad_selector') throw invalidSelectorFailure(subject?.selector ?? '');
  return undefined;
};

/** Repeats the call after opening closed shadow roots. */
export const callUntilOpen = async <T extends object>(
  frame: Frame,
  { source, call, args }: Question,
  signal: AbortSignal,
): Promise<T> => {
  for (let round = 0; ; round++) {
    const answer = await callFrames<T & Partial<Suspicious>>(frame, source, call, args, signal);
    if (
      !answer.suspects ||
      round >= MAX_ROOT_ROUNDS ||
      (await openClosedRoots(frame, signal)) === 0
    )
      return answer;
  }
};

const elementPlace = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<{ frame: Frame; id: number }> => {
  const place = await requirePlace(tab, ref, signal);
  if (place.kind === 'element') return place;
  throw fail('invalid_argument', `${ref} refers to a folded part of the page, not to an element.`, {
    argument: 'ref',
    hint: 'Read it with mode "ax".',
  });
};

/**
 * Assigns refs to elements of a frame. An existing ref keeps its entry, because these answers
 * contain only a part of the row.
 */
export const assignRefs =
  (tab: Tab, frame: Frame) =>
  (target: RefTarget): string =>
    tab.refs.given(target.id) ?? tab.refs.refOf(frame, target.id, target);

export const invalidSelectorFailure = (selector: string): Error =>
  fail('invalid_argument', `"${selector.slice(0, 200)}" is not a CSS selector.`, {
    argument: 'selector',
  });
