// Calls a page function that reads a page or one element of it, in the frame of the element.
import { fail } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import type { SubjectOptions } from '../../page/page-functions.ts';
import type { NoSubject, Subject, RefTarget } from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { PageFunction } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';
import { openClosedRoots } from './closed-roots.ts';
import { requirePlace, staleRefFailure } from './resolve-ref.ts';

/** A closed shadow root may contain elements with closed roots. */
const MAX_ROOT_ROUNDS = 5;

/** The subject of a call: the whole page, or one element by its ref or CSS selector. */
export interface ReadTarget {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
}

/** A page function that reads a subject, and its arguments. */
interface Question<Request extends SubjectOptions, Answer> {
  readonly call: PageFunction<[Request], Answer>;
  readonly request: (subject: Subject | undefined) => Request;
}

interface FrameAnswer<Answer> {
  readonly answer: Exclude<Answer, NoSubject>;
  /** The frame that responded. Element ids are valid in its document. */
  readonly frame: Frame;
}

interface Titled {
  readonly title: string;
}

const hasSubject = <Answer extends object>(answer: Answer): answer is Exclude<Answer, NoSubject> =>
  !('problem' in answer);

/**
 * Calls a page function for a target and throws if the target is missing. Also updates the tab's
 * title.
 */
export const callOwnFrame = async <Request extends SubjectOptions, Answer extends Titled>(
  tab: Tab,
  place: ReadTarget,
  question: Question<Request, Answer>,
  signal: AbortSignal,
): Promise<FrameAnswer<Answer>> => {
  const answered = await callTargetFrame(tab, place, question, signal);
  if (answered) return answered;
  if (place.ref !== undefined) throw await staleRefFailure(tab, place.ref, signal);
  throw fail('element_not_found', `No element matches ${(place.selector ?? '').slice(0, 200)}.`, {
    selector: place.selector,
  });
};

/** Like callOwnFrame, but returns undefined if the target is missing. */
export const callTargetFrame = async <Request extends SubjectOptions, Answer extends Titled>(
  tab: Tab,
  { ref, selector }: ReadTarget,
  question: Question<Request, Answer>,
  signal: AbortSignal,
): Promise<FrameAnswer<Answer> | undefined> => {
  const ask = (frame: Frame, subject?: Subject): Promise<FrameAnswer<Answer> | undefined> =>
    askFrame(tab, frame, question, subject, signal);
  if (ref !== undefined) {
    const { frame, id } = await elementPlace(tab, ref, signal);
    return ask(frame, { id });
  }
  if (selector === undefined) return ask(tab.frames.main);
  for (const frame of tab.frames.all()) {
    const found = await ask(frame, { selector }).catch((error: unknown) => {
      if (frame === tab.frames.main || !isGone(error)) throw error;
      return undefined;
    });
    if (found) return found;
  }
  return undefined;
};

const askFrame = async <Request extends SubjectOptions, Answer extends Titled>(
  tab: Tab,
  frame: Frame,
  { call, request }: Question<Request, Answer>,
  subject: Subject | undefined,
  signal: AbortSignal,
): Promise<FrameAnswer<Answer> | undefined> => {
  const answer = await callUntilOpen(frame, call, request(subject), signal);
  if (frame === tab.frames.main) tab.title = answer.title;
  if (hasSubject(answer)) return { answer, frame };
  if ('problem' in answer && answer.problem === 'bad_selector')
    throw invalidSelectorFailure(subject?.selector ?? '');
  return undefined;
};

/** Repeats the call after opening closed shadow roots. */
export const callUntilOpen = async <Request, Answer extends object>(
  frame: Frame,
  call: PageFunction<[Request], Answer>,
  request: NoInfer<Request>,
  signal: AbortSignal,
): Promise<Answer> => {
  for (let round = 0; ; round++) {
    const answer = await frame.call(call, [request], signal);
    const hasSuspects = 'suspects' in answer && Boolean(answer.suspects);
    if (!hasSuspects || round >= MAX_ROOT_ROUNDS || (await openClosedRoots(frame, signal)) === 0)
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
    situation: 'folded_part_in_mode',
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
  fail('invalid_argument', `"${selector.slice(0, 200)}" is not a valid CSS selector or XPath.`, {
    argument: 'selector',
  });
