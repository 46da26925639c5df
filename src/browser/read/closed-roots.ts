// What walks cannot look into: closed shadow roots, found by asking the debugger about suspicious elements, and which frame is where.
import type { DeepValue, Frame } from '../tabs/frames.ts';

export interface Beyond {
  /** Closed shadow roots, by their backend numbers. */
  readonly roots: readonly number[];
  /** The ids of the frames that the last walk told of, by the numbers of the elements that show them. */
  readonly frames: ReadonlyMap<number, string>;
}

/** Asks about what the last walk in this frame could not look into. */
export const askBeyond = async (frame: Frame, signal: AbortSignal): Promise<Beyond> => {
  const [suspects = [], frames = []] = ((await frame.callForNodes('beyond', [], signal)) ?? []).map(membersOf);
  return { roots: suspects.flatMap(closedRootOf), frames: framesIn(frames) };
};

const membersOf = ({ value }: DeepValue): readonly DeepValue[] => (value ?? []) as readonly DeepValue[];

interface DeepNode {
  readonly backendNodeId: number;
  readonly frameId?: string;
  readonly shadowRoot?: { readonly value: { readonly backendNodeId: number; readonly mode: 'open' | 'closed' } } | null;
}

const closedRootOf = ({ value }: DeepValue): number[] => {
  const root = (value as DeepNode | undefined)?.shadowRoot?.value;
  return root?.mode === 'closed' ? [root.backendNodeId] : [];
};

/** Numbers of elements, each followed by the window that it shows, or by itself where scripts cannot have that. */
const framesIn = (members: readonly DeepValue[]): ReadonlyMap<number, string> => {
  const frames = new Map<number, string>();
  for (let i = 0; i + 1 < members.length; i += 2) {
    const shown = members[i + 1]?.value as { readonly context?: string; readonly frameId?: string } | undefined;
    const id = shown?.context ?? shown?.frameId;
    if (id !== undefined) frames.set(members[i]?.value as number, id);
  }
  return frames;
};

/** Looks behind the elements that the last walk suspected; returns how many closed roots came to light. */
export const openClosedRoots = async (frame: Frame, signal: AbortSignal): Promise<number> => {
  const { roots } = await askBeyond(frame, signal);
  const objects = roots.length === 0 ? [] : await frame.objectsOf(roots, signal);
  if (objects.length > 0) await adoptRoots(frame, objects, signal);
  return objects.length;
};

/** Hands closed roots to the page-scripts for good: what is asked of the frame from then on looks into them. */
export const adoptRoots = (frame: Frame, objects: readonly string[], signal: AbortSignal): Promise<void> =>
  frame.callWith('adoptRoots', objects, signal);
