// What walks cannot look into: closed shadow roots, found by asking the debugger about suspicious
// elements, and which frame is where.
import { Deadline } from '../../core/time.ts';
import type { WalkOptions } from '../../page/walk-record.ts';
import type { DeepValue, Frame } from '../tabs/frames.ts';

interface OpenedContent {
  /** Closed shadow roots, by their backend numbers. */
  readonly roots: readonly number[];
  /**
   * The ids of the frames that the last walk told of, by the numbers of the elements that show
   * them.
   */
  readonly frames: ReadonlyMap<number, string>;
}

const NOTHING: OpenedContent = { roots: [], frames: new Map() };

/**
 * A walk of this frame as text, and what it could not look into; undefined when its root is not
 * there.
 */
export const callWalk = async (
  frame: Frame,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<(OpenedContent & { readonly text: string }) | undefined> => {
  const answer = await frame.callForNodes('walkWithBeyond', [options], signal);
  if (answer?.type === 'string') return { text: answer.value as string, ...NOTHING };
  const [text, ...beyond] = membersOf(answer);
  return text && { text: text.value as string, ...beyondOf(beyond) };
};

const beyondOf = ([suspects, frames]: readonly DeepValue[]): OpenedContent => ({
  roots: membersOf(suspects).flatMap(closedRootOf),
  frames: framesIn(membersOf(frames)),
});

const membersOf = (array: DeepValue | undefined): readonly DeepValue[] =>
  (array?.value ?? []) as readonly DeepValue[];

interface DeepNode {
  readonly backendNodeId: number;
  readonly frameId?: string;
  readonly shadowRoot?: {
    readonly value: { readonly backendNodeId: number; readonly mode: 'open' | 'closed' };
  } | null;
}

const closedRootOf = ({ value }: DeepValue): number[] => {
  const root = (value as DeepNode | undefined)?.shadowRoot?.value;
  return root?.mode === 'closed' ? [root.backendNodeId] : [];
};

/**
 * Numbers of elements, each followed by the window that it shows, or by itself where scripts cannot
 * have that.
 */
const framesIn = (members: readonly DeepValue[]): ReadonlyMap<number, string> => {
  const frames = new Map<number, string>();
  for (let i = 0; i + 1 < members.length; i += 2) {
    const shown = members[i + 1]?.value as
      | { readonly context?: string; readonly frameId?: string }
      | undefined;
    const id = shown?.context ?? shown?.frameId;
    if (id !== undefined) frames.set(members[i]?.value as number, id);
  }
  return frames;
};

/**
 * Looks behind the elements that the last walk suspected; returns how many closed roots came to
 * light.
 */
export const openClosedRoots = (frame: Frame, signal: AbortSignal): Promise<number> =>
  openSuspects(frame, 'beyond', signal);

/** How long that may take which nobody waits for. */
const AHEAD_MS = 5000;

/**
 * Makes a frame that has loaded ready for its first reading, closed roots included; nobody waits
 * for it.
 */
export const prepareReading = async (frame: Frame): Promise<void> => {
  try {
    if ((await frame.warm()) === 0) return;
    using patience = new Deadline(AHEAD_MS);
    await openSuspects(frame, 'takeRehearsed', patience.signal);
  } catch {
    // The document is gone already, or its reading will say what is wrong.
  }
};

const openSuspects = async (
  frame: Frame,
  name: 'beyond' | 'takeRehearsed',
  signal: AbortSignal,
): Promise<number> => {
  const { roots } = beyondOf(membersOf(await frame.callForNodes(name, [], signal)));
  const objects = roots.length === 0 ? [] : await frame.objectsOf(roots, signal);
  if (objects.length > 0) await adoptRoots(frame, objects, signal);
  return objects.length;
};

/**
 * Hands closed roots to the page-scripts for good: what is asked of the frame from then on looks
 * into them.
 */
export const adoptRoots = (
  frame: Frame,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<void> => frame.callWith('adoptRoots', objects, signal);
