// What the pages of a tab hold only as long as they are open (fields, scroll positions), read from
// every frame and put back.
import { Failure } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import type { PageState, RestoreAnswer } from '../../page/page-state-answers.ts';
import { callFrames, type LoadedScript } from '../read/call-page.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';

const source = (): LoadedScript => import('page-script:page-state');

/** How long fields and room to scroll may take to come up in a page that has loaded. */
const PATIENCE_MS = 3000;

/** The state of one frame; the first of a tab is its page. */
export interface FrameState extends PageState {
  readonly url: string;
  /** Which one of the frames with this address. */
  readonly nth: number;
}

export const readPageState = async (tab: Tab, signal: AbortSignal): Promise<FrameState[]> => {
  const frames = tab.frames.all();
  const states = await Promise.all(frames.map((frame) => readFrame(tab, frame, signal)));
  const places = placesOf(frames);
  return states.flatMap((state, i) =>
    state && (i === 0 || isWorthKeeping(state))
      ? [{ ...state, ...(places[i] as FramePosition) }]
      : [],
  );
};

/** A frame that went away has nothing to tell; the page itself must answer. */
const readFrame = (tab: Tab, frame: Frame, signal: AbortSignal): Promise<PageState | undefined> =>
  callFrames<PageState>(frame, source, '__oc_page_state.read', {}, signal).catch(
    (error: unknown) => {
      if (frame !== tab.frames.main && (isGone(error) || error instanceof Failure))
        return undefined;
      throw error;
    },
  );

const isWorthKeeping = ({ fields, scrolls, passwords }: PageState): boolean =>
  fields.length > 0 || passwords > 0 || scrolls.some(({ x, y }) => x !== 0 || y !== 0);

interface FramePosition {
  readonly url: string;
  readonly nth: number;
}

const placesOf = (frames: readonly Frame[]): FramePosition[] => {
  const seen = new Map<string, number>();
  return frames.map(({ url }) => {
    const nth = seen.get(url) ?? 0;
    seen.set(url, nth + 1);
    return { url, nth };
  });
};

/**
 * What stands in the password fields of a tab now: to be hidden elsewhere, never to be written
 * down.
 */
export const readPasswords = async (tab: Tab, signal: AbortSignal): Promise<string[]> => {
  const found = await Promise.all(
    tab.frames
      .all()
      .map((frame) =>
        callFrames<string[]>(frame, source, '__oc_page_state.passwords', {}, signal).catch(
          () => [],
        ),
      ),
  );
  return found.flat();
};

/**
 * Into the frames of the same address alone: what was entered on one page is never shown to
 * another.
 */
export const restorePageState = async (
  tab: Tab,
  states: readonly FrameState[],
  signal: AbortSignal,
): Promise<RestoreAnswer> => {
  const answers = await Promise.all(
    states.map(async (state, i) => {
      const frame = i === 0 ? tab.frames.main : frameAt(tab, state);
      return frame ? restoreFrame(frame, state, signal) : missing(state);
    }),
  );
  return {
    fields: sum(answers.map(({ fields }) => fields)),
    scrolls: sum(answers.map(({ scrolls }) => scrolls)),
    problems: answers.flatMap(({ problems }) => problems),
    unreached: sum(answers.map(({ unreached }) => unreached)),
  };
};

const frameAt = (tab: Tab, { url, nth }: FrameState): Frame | undefined =>
  tab.frames.all().filter((frame) => frame !== tab.frames.main && frame.url === url)[
    nth - (tab.url === url ? 1 : 0)
  ];

const restoreFrame = (
  frame: Frame,
  { fields, scrolls }: FrameState,
  signal: AbortSignal,
): Promise<RestoreAnswer> =>
  callFrames<RestoreAnswer>(
    frame,
    source,
    '__oc_page_state.restore',
    { fields, scrolls, patienceMs: PATIENCE_MS },
    signal,
  );

const missing = ({ fields, scrolls }: FrameState): RestoreAnswer => ({
  fields: 0,
  scrolls: 0,
  problems: fields.map(({ label }) => ({ label, why: 'missing' as const })),
  unreached: scrolls.length,
});

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
