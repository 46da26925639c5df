// Lists what needs the debugger after a walk: possible closed shadow roots, and frames.
import { assignId } from './ids.ts';
import type { WalkOptions } from './walk-record.ts';
import { state } from './state.ts';
import { takeSuspects } from './closed-root-suspects.ts';
import { walk } from './walk.ts';

/** A window serialises to a short reference; an element would serialise with all attributes. */
const getWindow = (frame: Element): Window | Element =>
  (frame as HTMLIFrameElement).contentWindow ?? frame;

type ClosedContent = [suspects: Element[], frames: (number | Window | Element)[]];
const NOTHING: ClosedContent = [[], []];

/**
 * Returns the elements to check for a closed root (and clears that list), and the walked frames,
 * each frame preceded by the id of its element. Undefined if there are none.
 */
export const takeClosedContent = (): ClosedContent | undefined => {
  const suspects = takeSuspects();
  if (suspects.length === 0 && state.frames.length === 0) return undefined;
  return [suspects, state.frames.flatMap((frame) => [assignId(frame), getWindow(frame)])];
};

/**
 * Chrome returns a plain string twice, but a string in an array once. The
 * array pays off above this length.
 */
const MAX_ALONE = 20_000;

/** Runs a walk; adds the elements and frames that it could not look into, if there are any. */
export const walkWithClosedContent = (
  options: WalkOptions,
): string | null | [walk: string, ...ClosedContent] => {
  const answer = walk(options);
  if (answer === null) return null;
  const rest = takeClosedContent();
  return rest || answer.length > MAX_ALONE ? [answer, ...(rest ?? NOTHING)] : answer;
};
