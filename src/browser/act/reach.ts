// Finds the target of an action in the frames of a tab and waits until it can be acted on.
import { defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import { monotonicMs } from '../../core/time.ts';
import type {
  ActedElement,
  LocatedElements,
  Needs,
  Point,
  PrepareOptions,
  Problem,
  Purpose,
  Ready,
  Spec,
} from '../../page/act/act-answers.ts';
import type { RecordedAnswer, RecordedElement } from '../../page/recorded/recorded-answers.ts';
import { type Frame, isFrameReplaced } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { openClosedRoots } from '../read/closed-roots.ts';
import { explainStaleRef } from '../read/resolve-ref.ts';
import {
  type ActionTarget,
  assignRef,
  buildTargetName,
  describeTarget,
  formatTargetName as shown,
  requireElementPlace,
} from './elements.ts';
import type { TargetName } from '../../core/receipt.ts';
import { toPageCoordinates } from '../read/frame-owners.ts';
import { inPage } from '../tabs/in-page.ts';

export interface Reached {
  readonly frame: Frame;
  readonly ready: Ready;
  readonly target: TargetName;
  /** In coordinates of the main frame's viewport. */
  readonly point: Point;
  /** How a renamed element of an earlier run was found. */
  readonly healed?: string;
}

export interface ReachOptions {
  readonly needs: Needs;
  readonly purpose?: Purpose;
  readonly patienceMs: number;
  readonly still?: boolean;
  readonly select?: NonNullable<PrepareOptions['select']>;
  readonly within?: number;
  readonly reads?: boolean;
}

/**
 * Only a pointer action converts the point to page coordinates; others get the point in the frame.
 */
export const reach = async (
  tab: Tab,
  target: ActionTarget,
  options: ReachOptions,
  signal: AbortSignal,
): Promise<Reached> => {
  const endsAt = monotonicMs() + options.patienceMs;
  const { purpose = 'any', patienceMs: _, ...rest } = options;
  const placed = await placeTarget(tab, target, purpose, endsAt, signal);
  const { frame } = placed;
  const prepare: PrepareOptions = {
    ...rest,
    purpose,
    patienceMs: Math.max(0, endsAt - monotonicMs()),
  };
  const ready = await prepareTarget(placed, prepare, signal);
  if (ready.problem !== undefined) throw await problemFailure(tab, frame, ready, target, signal);
  const point =
    options.needs.pointer && frame.parent
      ? await pagePoint(tab, frame, ready, target, signal)
      : ready.point;
  const { healed } = placed;
  return defined({
    frame,
    ready,
    target: buildTargetName(tab, frame, ready.element),
    point,
    healed,
  });
};

/**
 * A missing element may be in a closed shadow root, so the closed roots are opened through the
 * debugger before the wait starts.
 */
const prepareTarget = async (
  { frame, spec }: FrameSearch,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Ready | Problem> => {
  const call = (patienceMs: number): Promise<Ready | Problem> =>
    frame.call(inPage.more.prepare, [spec, { ...options, patienceMs }], signal);
  if (spec.id !== undefined) return call(options.patienceMs);
  const first = await call(0);
  if (first.problem !== 'not_found')
    return first.problem === undefined ? first : call(options.patienceMs);
  await lookBehindRoots(frame, signal);
  return call(options.patienceMs);
};

const lookBehindRoots = async (frame: Frame, signal: AbortSignal): Promise<void> => {
  do await frame.call(inPage.main.walk, [], signal);
  while ((await openClosedRoots(frame, signal)) > 0);
};

/** Converts the target's point in a frame to page coordinates. */
const pagePoint = async (
  tab: Tab,
  frame: Frame,
  ready: Ready,
  target: ActionTarget,
  signal: AbortSignal,
): Promise<Point> => {
  const outer = await toPageCoordinates(frame, ready.point, signal);
  if ('point' in outer) return outer.point;
  throw await problemFailure(
    tab,
    outer.frame,
    { ...outer.problem, element: ready.element },
    target,
    signal,
    frame,
  );
};

/**
 * Waits until an element, given by its id, can be pressed; returns its point in page coordinates.
 */
export const reachIn = async (
  tab: Tab,
  frame: Frame,
  id: number,
  options: ReachOptions,
  signal: AbortSignal,
): Promise<Point> => {
  const target: ActionTarget = { ref: tab.refs.given(id) ?? 'the element' };
  const prepare: PrepareOptions = { purpose: 'any', ...options };
  const ready = await frame.call(inPage.more.prepare, [{ id }, prepare], signal);
  if (ready.problem !== undefined) throw await problemFailure(tab, frame, ready, target, signal);
  return frame.parent ? pagePoint(tab, frame, ready, target, signal) : ready.point;
};

interface FrameSearch {
  readonly frame: Frame;
  readonly spec: Spec;
  readonly healed?: string;
}

/** Finds the frame that contains the target. A page with a single frame is not searched. */
const placeTarget = async (
  tab: Tab,
  target: ActionTarget,
  purpose: Purpose,
  endsAt: number,
  signal: AbortSignal,
): Promise<FrameSearch> => {
  if ('ref' in target) {
    const { frame, id, fingerprint } = await requireElementPlace(tab, target.ref, signal);
    return { frame, spec: { id, fingerprint } };
  }
  if ('recorded' in target) return placeRecorded(tab, target.recorded, endsAt, signal);
  for (;;) {
    const frames = tab.frames.all();
    if (frames.length === 1) return { frame: tab.frames.main, spec: target };
    const outcome = await searchFrames(tab, frames, target, purpose, signal);
    if ('frame' in outcome) return outcome;
    const left = endsAt - monotonicMs();
    if (left <= 0 || outcome.problem === 'bad_selector')
      throw await problemFailure(tab, tab.frames.main, outcome, target, signal);
    await Promise.race(
      frames.map((frame) =>
        ignoreReplacedFrame(
          frame,
          frame.call(inPage.more.waitForChange, [Math.min(left, 250)], signal),
        ),
      ),
    );
  }
};

interface RecordedFind {
  readonly frame: Frame;
  readonly answer: RecordedAnswer;
}

/**
 * Finds an element of an earlier run. An element in a closed shadow root is found after the roots
 * are opened, before the wait starts.
 */
const placeRecorded = async (
  tab: Tab,
  recorded: RecordedElement,
  endsAt: number,
  signal: AbortSignal,
): Promise<FrameSearch> => {
  const first = pickRecorded(await searchRecorded(tab, recorded, 0, signal), false);
  if (first) return first;
  await lookBehindRoots(tab.frames.main, signal);
  for (;;) {
    const left = Math.max(0, endsAt - monotonicMs());
    const answers = await searchRecorded(tab, recorded, left, signal);
    const isOver = monotonicMs() >= endsAt;
    const found = pickRecorded(answers, isOver);
    if (found) return found;
    if (isOver) throw recordedFailure(recorded, answers);
  }
};

/** Searches all frames. A page with several frames is searched again after a short wait. */
const searchRecorded = async (
  tab: Tab,
  recorded: RecordedElement,
  patienceMs: number,
  signal: AbortSignal,
): Promise<RecordedFind[]> => {
  const frames = tab.frames.all();
  const waitMs = frames.length === 1 ? patienceMs : Math.min(patienceMs, FRAMES_WAIT_MS);
  const answers = frames.map(async (frame) => {
    const call = frame.call(inPage.more.findRecorded, [recorded, waitMs], signal);
    const answer = await ignoreReplacedFrame(frame, call);
    return answer ? [{ frame, answer }] : [];
  });
  return (await Promise.all(answers)).flat();
};

const FRAMES_WAIT_MS = 250;

/** The only frame that has the element; a renamed one counts only after the wait. */
const pickRecorded = (
  answers: readonly RecordedFind[],
  acceptsHealed: boolean,
): FrameSearch | undefined => {
  const found = answers.flatMap(({ frame, answer }) =>
    answer.problem === undefined ? [{ frame, ...answer }] : [],
  );
  const same = found.filter(({ healed }) => healed === undefined);
  const [only, another] = same.length === 0 && acceptsHealed ? found : same;
  if (!only || another) return undefined;
  const { frame, id, healed } = only;
  return defined({ frame, spec: { id }, healed });
};

const recordedFailure = (recorded: RecordedElement, answers: readonly RecordedFind[]): Failure => {
  const what = shown(recorded);
  const problems = answers.flatMap(({ answer }) => (answer.problem === undefined ? [] : [answer]));
  const moved = problems.find(({ problem }) => problem === 'moved');
  if (moved)
    return fail(
      'element_not_found',
      `${what} is not the recorded element any more: ${moved.detail}.`,
    );
  const ambiguous = problems.find(({ problem }) => problem === 'ambiguous');
  if (ambiguous)
    return fail('ambiguous_target', `Several elements match ${what}: ${ambiguous.detail}.`);
  return problems.length < answers.length
    ? fail('ambiguous_target', `Several frames contain ${what}.`)
    : fail('element_not_found', `No element matches ${what}.`);
};

interface FrameFind {
  readonly frame: Frame;
  readonly found: LocatedElements | Problem;
}

/** Returns undefined if the frame goes away during the call. */
const ignoreReplacedFrame = async <T>(frame: Frame, call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isFrameReplaced(frame, error)) return undefined;
    throw error;
  }
};

const searchFrames = async (
  tab: Tab,
  frames: readonly Frame[],
  target: Exclude<ActionTarget, { ref: string } | { recorded: object }>,
  purpose: Purpose,
  signal: AbortSignal,
): Promise<FrameSearch | Problem> => {
  const answers = await Promise.all(
    frames.map(async (frame): Promise<FrameFind> => ({
      frame,
      found: (await ignoreReplacedFrame(
        frame,
        frame.call(inPage.more.findTarget, [target, purpose], signal),
      )) ?? { problem: 'not_found' },
    })),
  );
  const [main] = answers;
  // Subframes are searched for a selector only if it matches nothing in the main frame.
  if ('selector' in target && main && main.found.problem !== 'not_found')
    return { frame: main.frame, spec: target };
  return pickFrame(tab, answers, target);
};

const pickFrame = (
  tab: Tab,
  answers: readonly FrameFind[],
  target: ActionTarget,
): FrameSearch | Problem => {
  const hits = answers.flatMap(({ frame, found }) =>
    found.problem === undefined ? [{ frame, found }] : [],
  );
  const ambiguous = answers.find(({ found }) => found.problem === 'ambiguous');
  if (hits.length === 0) {
    if (ambiguous) return { frame: ambiguous.frame, spec: target as Spec };
    const problems = answers.flatMap(({ found }) => (found.problem === undefined ? [] : [found]));
    return problems.find(({ candidates }) => candidates) ?? problems[0] ?? { problem: 'not_found' };
  }
  const rank = Math.min(...hits.map(({ found }) => found.rank));
  const best = hits.filter(({ found }) => found.rank === rank);
  const [only] = best;
  const total = best.reduce((sum, { found }) => sum + found.total, 0);
  const element = only?.found.elements[0];
  if (total === 1 && only && element) return { frame: only.frame, spec: { id: element.id } };
  const refs = best.flatMap(({ frame, found }) =>
    found.elements.map((one) => ({ ...one, ref: assignRef(tab, frame, one) })),
  );
  return { problem: 'ambiguous', candidates: refs, total };
};

type WithRef = ActedElement & { readonly ref?: string };

const listTargetNames = (tab: Tab, frame: Frame, elements: readonly WithRef[]): TargetName[] =>
  elements.map((element) =>
    element.ref === undefined
      ? buildTargetName(tab, frame, element)
      : { ref: element.ref, role: element.role, name: element.name },
  );

const WANTED: Readonly<Record<Purpose, string>> = {
  any: 'No element',
  file: 'No element',
  field: 'No field',
  check: 'No checkbox, radio button or switch',
};

const disabledFailure = (
  it: string,
  { detail }: Problem,
  ref: { readonly ref?: string },
  dialog: TargetName | undefined,
): Failure => {
  const message = `${it} is disabled${textIf(detail !== 'disabled', ` (${detail})`)}.`;
  if (!dialog) return fail('target_disabled', message, ref);
  const hint = `The page is inert while ${shown(dialog)} is open: act in it, or close it first.`;
  return fail('target_disabled', message, { ...ref, dialog, hint });
};

/** Converts a problem that the page reports to the failure that the client receives. */
export const problemFailure = async (
  tab: Tab,
  frame: Frame,
  problem: Problem,
  target: ActionTarget,
  signal: AbortSignal,
  elementFrame: Frame = frame,
): Promise<Failure> => {
  const what = describeTarget(target);
  const element = problem.element ? buildTargetName(tab, elementFrame, problem.element) : undefined;
  const it = element ? shown(element) : what;
  const ref = defined({ ref: element?.ref });
  const { detail } = problem;
  switch (problem.problem) {
    case 'bad_selector':
      return fail('invalid_argument', `${what} is not a valid CSS selector or XPath.`, {
        argument: 'selector',
      });
    case 'stale':
      return explainStaleRef(tab, 'ref' in target ? target.ref : what, signal);
    case 'not_found': {
      const near = problem.candidates
        ? { near: listTargetNames(tab, frame, problem.candidates) }
        : {};
      const nothing = WANTED[problem.wanted ?? 'any'];

      const reason = textIf(detail, `: ${detail}`);
      return fail('element_not_found', `${nothing} matches ${what}${reason}.`, near);
    }
    case 'ambiguous':
      return fail('ambiguous_target', `${what} matches ${problem.total} elements.`, {
        candidates: listTargetNames(tab, frame, problem.candidates ?? []),
        total: problem.total,
      });
    case 'covered': {
      const cover = problem.cover ? buildTargetName(tab, frame, problem.cover) : undefined;
      const coverName = cover ? shown(cover) : 'something else';
      const reason = textIf(detail, `; ${detail}`);
      return fail(
        'target_covered',
        `${it} is covered by ${coverName}${reason}.`,
        defined({
          ...ref,
          cover,
        }),
      );
    }
    case 'untouchable': {
      const instead = problem.cover ? buildTargetName(tab, frame, problem.cover) : undefined;
      const receiver = instead ? shown(instead) : 'the element below it';
      return fail(
        'target_disabled',
        `${it} ignores clicks (pointer-events: none): ${receiver} would receive them.`,
        defined({ ...ref, instead }),
      );
    }
    case 'hidden':
    case 'outside':
      return fail('target_hidden', `${it} is not visible: ${detail}.`, ref);
    case 'disabled':
      return disabledFailure(
        it,
        problem,
        ref,
        problem.cover ? buildTargetName(tab, frame, problem.cover) : undefined,
      );
    case 'not_editable':
      return fail('not_editable', `${it} cannot be edited: ${detail}.`, ref);
    case 'no_option':
      return fail('option_not_found', `${it} has no option ${detail}.`, {
        ...ref,
        options: problem.options ?? [],
      });
    case 'no_state':
      return fail(
        'invalid_argument',
        `${it} can only be on or off: its value must be true or false.`,
        {
          argument: 'value',
          ...ref,
        },
      );
    case 'moving':
      return fail('target_moving', `${it} did not stop moving.`, ref);
    default:
      return problem.problem satisfies never;
  }
};
