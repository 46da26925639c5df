// Reads and restores the transient state of a tab's pages: field values and scroll positions.
import { Failure } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import type { PageState, RestoreAnswer } from '../../page/state-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';

/** How long fields and scrollable content may take to appear after the page has loaded. */
const PATIENCE_MS = 3000;

/** The state of one frame. The first one of a tab is the main frame. */
export interface FrameState extends PageState {
  readonly url: string;
  /** Index among the frames with the same URL. */
  readonly nth: number;
}

export const readPageState = async (tab: Tab, signal: AbortSignal): Promise<FrameState[]> => {
  const frames = tab.frames.all();
  const states = await Promise.all(frames.map((frame) => readFrame(tab, frame, signal)));
  const places = listPositions(frames);
  return states.flatMap((state, i) =>
    state && (i === 0 || isWorthKeeping(state))
      ? [{ ...state, ...(places[i] as FramePosition) }]
      : [],
  );
};

/** Returns undefined for a subframe that is gone or fails; errors of the main frame are thrown. */
const readFrame = (tab: Tab, frame: Frame, signal: AbortSignal): Promise<PageState | undefined> =>
  frame.call(inPage.pageState.read, [], signal).catch((error: unknown) => {
    if (frame !== tab.frames.main && (isGone(error) || error instanceof Failure)) return undefined;
    throw error;
  });

const isWorthKeeping = ({ fields, scrolls, passwords }: PageState): boolean =>
  fields.length > 0 || passwords > 0 || scrolls.some(({ x, y }) => x !== 0 || y !== 0);

interface FramePosition {
  readonly url: string;
  readonly nth: number;
}

const listPositions = (frames: readonly Frame[]): FramePosition[] => {
  const seen = new Map<string, number>();
  return frames.map(({ url }) => {
    const nth = seen.get(url) ?? 0;
    seen.set(url, nth + 1);
    return { url, nth };
  });
};

/**
 * Returns the values of all password fields of a tab, so that output can mask them. Never save
 * them.
 */
export const readPasswords = async (tab: Tab, signal: AbortSignal): Promise<string[]> => {
  const found = await Promise.all(
    tab.frames
      .all()
      .map((frame) => frame.call(inPage.pageState.readPasswords, [], signal).catch(() => [])),
  );
  return found.flat();
};

/**
 * Restores subframes only if their URL is the same, so that values of one page never reach another.
 */
export const restorePageState = async (
  tab: Tab,
  states: readonly FrameState[],
  signal: AbortSignal,
): Promise<RestoreAnswer> => {
  const answers = await Promise.all(
    states.map(async (state, i) => {
      const frame = i === 0 ? tab.frames.main : findFrame(tab, state);
      return frame ? restoreFrame(frame, state, signal) : buildMissingAnswer(state);
    }),
  );
  return {
    fields: sum(answers.map(({ fields }) => fields)),
    scrolls: sum(answers.map(({ scrolls }) => scrolls)),
    problems: answers.flatMap(({ problems }) => problems),
    unreached: sum(answers.map(({ unreached }) => unreached)),
  };
};

const findFrame = (tab: Tab, { url, nth }: FrameState): Frame | undefined =>
  tab.frames.all().filter((frame) => frame !== tab.frames.main && frame.url === url)[
    nth - (tab.url === url ? 1 : 0)
  ];

const restoreFrame = (
  frame: Frame,
  { fields, scrolls }: FrameState,
  signal: AbortSignal,
): Promise<RestoreAnswer> =>
  frame.call(inPage.pageState.restore, [{ fields, scrolls, patienceMs: PATIENCE_MS }], signal);

const buildMissingAnswer = ({ fields, scrolls }: FrameState): RestoreAnswer => ({
  fields: 0,
  scrolls: 0,
  problems: fields.map(({ label }) => ({ label, why: 'missing' as const })),
  unreached: scrolls.length,
});

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
