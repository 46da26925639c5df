// Converts a point in a frame to page coordinates through all parent frames, in any process.
import { fail } from '../../core/failure.ts';
import type { Point, Problem } from '../../page/act/act-answers.ts';
import { findFrameOwner } from '../read/frame-owners.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';

export type ThroughFrames =
  | { readonly point: Point }
  | { readonly frame: Frame; readonly problem: Problem };

/**
 * Returns the point in page coordinates, or the parent frame in which another element covers it.
 */
export const toPageCoordinates = async (
  frame: Frame,
  inner: Point,
  signal: AbortSignal,
): Promise<ThroughFrames> => {
  let point = inner;
  for (let at = frame; at.parent; at = at.parent) {
    // makes sure that the page scripts are installed
    await at.parent.call(inPage.more.waitForChange, [0], signal);
    const owner = await findFrameOwner(at, at.parent, signal);
    if (owner === undefined) throw fail('page_changed', 'The frame of the target was removed.');
    const outer = await at.parent.call(inPage.more.mapThroughFrame, [owner, point], signal);
    if (outer.problem !== undefined) return { frame: at.parent, problem: outer };
    point = outer.point;
    // Chrome selects the process for a press from the last drawn frame.
    if (outer.scrolled) await at.parent.call(inPage.more.waitUntilDrawn, [], signal);
  }
  return { point };
};
