// Finds closed shadow roots and the frames of elements through CDP, because scripts cannot see
// them.
import { Deadline } from '../../core/time.ts';
import type { WalkOptions } from '../../page/walk-record.ts';
import type { DeepValue, Frame } from '../tabs/frames.ts';
import type { PageObjects } from '../../page/page-functions.ts';
import { inPage, type PageFunction } from '../tabs/in-page.ts';

interface OpenedContent {
  /** Backend node ids of the closed shadow roots. */
  readonly roots: readonly number[];
  /** Frame ids of the last walk, by the id of the element that shows the frame. */
  readonly frames: ReadonlyMap<number, string>;
}

const NOTHING: OpenedContent = { roots: [], frames: new Map() };

/**
 * Returns the text of a frame's walk, its closed roots and its frames; undefined if the root
 * element is missing.
 */
export const callWalk = async (
  frame: Frame,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<(OpenedContent & { readonly text: string }) | undefined> => {
  const answer = await frame.callForNodes(inPage.main.walkWithClosedContent, [options], signal);
  if (answer?.type === 'string') return { text: answer.value as string, ...NOTHING };
  const [text, ...beyond] = listMembers(answer);
  return text && { text: text.value as string, ...parseOpened(beyond) };
};

const parseOpened = ([suspects, frames]: readonly DeepValue[]): OpenedContent => ({
  roots: listMembers(suspects).flatMap(listClosedRoots),
  frames: parseFrames(listMembers(frames)),
});

const listMembers = (array: DeepValue | undefined): readonly DeepValue[] =>
  (array?.value ?? []) as readonly DeepValue[];

interface DeepNode {
  readonly backendNodeId: number;
  readonly frameId?: string;
  readonly shadowRoot?: {
    readonly value: { readonly backendNodeId: number; readonly mode: 'open' | 'closed' };
  } | null;
}

const listClosedRoots = ({ value }: DeepValue): number[] => {
  const root = (value as DeepNode | undefined)?.shadowRoot?.value;
  return root?.mode === 'closed' ? [root.backendNodeId] : [];
};

/**
 * Reads pairs of an element id and the window it shows, or the element itself if scripts cannot
 * access the window.
 */
const parseFrames = (members: readonly DeepValue[]): ReadonlyMap<number, string> => {
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

/** Opens the closed roots of the elements that the last walk suspected; returns their number. */
export const openClosedRoots = (frame: Frame, signal: AbortSignal): Promise<number> =>
  openSuspects(frame, inPage.main.takeClosedContent, signal);

/** Time limit of the preparation in the background. */
const AHEAD_MS = 5000;

/**
 * Prepares a loaded frame for its first reading, including closed roots. Runs in the background.
 */
export const prepareReading = async (frame: Frame): Promise<void> => {
  try {
    if ((await frame.warm()) === 0) return;
    using patience = new Deadline(AHEAD_MS);
    await openSuspects(frame, inPage.main.takeRehearsed, patience.signal);
  } catch {
    // The document is gone, or its first reading reports the error.
  }
};

const openSuspects = async (
  frame: Frame,
  list: PageFunction<[], PageObjects | undefined>,
  signal: AbortSignal,
): Promise<number> => {
  const { roots } = parseOpened(listMembers(await frame.callForNodes(list, [], signal)));
  const objects = roots.length === 0 ? [] : await frame.objectsOf(roots, signal);
  if (objects.length > 0) await adoptRoots(frame, objects, signal);
  return objects.length;
};

/** Passes closed roots to the page scripts; all later calls in this document can see into them. */
export const adoptRoots = (
  frame: Frame,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<void> => frame.callWith(inPage.main.adoptRoots, objects, signal);
