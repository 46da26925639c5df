// What only the debugger can look into after a walk: elements that may hide a closed shadow root,
// and frames.
import { assignId } from './ids.ts';
import type { WalkOptions } from './walk-record.ts';
import { state } from './state.ts';
import { takeSuspects } from './closed-root-suspects.ts';
import { walk } from './walk.ts';

/** A window names its frame in few words; elements that have none bring all their attributes. */
const windowOf = (frame: Element): Window | Element =>
  (frame as HTMLIFrameElement).contentWindow ?? frame;

type ClosedContent = [suspects: Element[], frames: (number | Window | Element)[]];
const NOTHING: ClosedContent = [[], []];

/**
 * The elements to ask about, and the frames that were told, each after the number of its element;
 * forgets the former.
 */
export const beyond = (): ClosedContent | undefined => {
  const suspects = takeSuspects();
  if (suspects.length === 0 && state.frames.length === 0) return undefined;
  return [suspects, state.frames.flatMap((frame) => [assignId(frame), windowOf(frame)])];
};

/**
 * Chrome sends a text alone twice, once as it sees it; in an array once. Below this many characters
 * that costs less than the array.
 */
const MAX_ALONE = 20_000;

/** A walk, together with what it could not look into, where there is any. */
export const walkWithBeyond = (
  options: WalkOptions,
): string | null | [walk: string, ...ClosedContent] => {
  const answer = walk(options);
  if (answer === null) return null;
  const rest = beyond();
  return rest || answer.length > MAX_ALONE ? [answer, ...(rest ?? NOTHING)] : answer;
};
