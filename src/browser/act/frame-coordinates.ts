// From a point in a frame to the same point in the page, through every frame around it,
// out-of-process ones too.
import { fail } from '../../core/failure.ts';
import type { Point, Problem, ThroughFrame } from '../../page/act/act-answers.ts';
import { findFrameOwner } from '../read/frame-owners.ts';
import type { Frame } from '../tabs/frames.ts';

export type ThroughFrames =
  | { readonly point: Point }
  | { readonly frame: Frame; readonly problem: Problem };

/** The point in the page's own viewport; or the frame around in which something lies over it. */
export const toPageCoordinates = async (
  frame: Frame,
  inner: Point,
  signal: AbortSignal,
): Promise<ThroughFrames> => {
  let point = inner;
  for (let at = frame; at.parent; at = at.parent) {
    await at.parent.call('actChange', [0], signal); // the scripts are there
    const owner = await findFrameOwner(at, at.parent, signal);
    if (owner === undefined) throw fail('page_changed', 'The frame of the target went away.');
    const outer = await at.parent.call<ThroughFrame>('actThroughFrame', [owner, point], signal);
    if (outer.problem !== undefined) return { frame: at.parent, problem: outer };
    point = outer.point;
    // Which process gets a press is decided by what was last drawn.
    if (outer.scrolled) await at.parent.call('actDrawn', [], signal);
  }
  return { point };
};
