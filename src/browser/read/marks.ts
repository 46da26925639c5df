// Draws the refs over their elements in every frame while a screenshot is taken.
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { everyNode } from './decode.ts';
import { fromInnerFrame } from './inner-frames.ts';
import { readTree } from './read-tree.ts';
import { inPage } from '../tabs/in-page.ts';

/** More marks would hide the page. */
const MAX_MARKS = 200;

/** Runs `work` while the controls in view are labelled with their refs. */
export const withMarks = async <T>(
  tab: Tab,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const marks = await visibleRefs(tab, signal);
  try {
    await Promise.all(
      [...marks].map(([frame, refs]) =>
        fromInnerFrame((within) => frame.call(inPage.more.drawMarks, [refs], within), signal),
      ),
    );
    return await work();
  } finally {
    await Promise.all(
      [...marks.keys()].map((frame) =>
        frame.call(inPage.more.clearMarks, [], signal).catch(() => {}),
      ),
    ); // ignored: a frame that is gone shows no marks
  }
};

const visibleRefs = async (
  tab: Tab,
  signal: AbortSignal,
): Promise<Map<Frame, [number, string][]>> => {
  const snapshot = await readTree(tab, { maxTokens: 1 }, signal);
  const marks = new Map<Frame, [number, string][]>();
  let count = 0;
  for (const node of everyNode(snapshot.nodes)) {
    if (node.kind !== 'control' || !node.inView || count >= MAX_MARKS) continue;
    const { frame } = node.document;
    marks.set(frame, [...(marks.get(frame) ?? []), [node.id, snapshot.refOf(node)]]);
    count++;
  }
  return marks;
};
