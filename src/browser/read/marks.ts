// For screenshots: measures the area of an element, and draws the refs over their elements.
import { fail } from '../../core/failure.ts';
import type { ElementArea } from '../../page/call-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';
import { invalidSelectorFailure } from './call-page.ts';
import { everyNode } from './decode.ts';
import { fromInnerFrame, toPageCoordinates } from './frame-owners.ts';
import { readTree } from './read-tree.ts';
import { type ElementPlace, resolveRef, staleRefFailure } from './resolve-ref.ts';

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

// Measures the area of an element in page coordinates, in any frame.

export const measureRef = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<ElementArea> => {
  const area = await measurePlace(tab, await resolveRef(tab, ref, signal), signal);
  if (!area) throw await staleRefFailure(tab, ref, signal);
  return area;
};

export const measureSelector = async (
  tab: Tab,
  selector: string,
  signal: AbortSignal,
): Promise<ElementArea> => {
  const frame = tab.frames.main;
  const id = await frame.call(inPage.more.firstMatch, [selector], signal);
  if (id === null) throw invalidSelectorFailure(selector);
  const area =
    id === 0 ? undefined : await measurePlace(tab, { kind: 'element', frame, id }, signal);
  if (!area)
    throw fail('element_not_found', `No element matches ${selector.slice(0, 200)}.`, { selector });
  return area;
};

/** Returns document coordinates: viewport coordinates plus the scroll position. */
const measurePlace = async (
  tab: Tab,
  { frame, id }: ElementPlace,
  signal: AbortSignal,
): Promise<ElementArea | undefined> => {
  const area = await frame.call(inPage.more.measureArea, [id], signal);
  if (!area) return undefined;
  const { x, y, width, height } = area;
  const middle = frame.parent
    ? await toPageCoordinates(frame, { x: x + width / 2, y: y + height / 2 }, signal)
    : undefined;
  if (middle && !('point' in middle))
    throw fail('target_covered', 'Another element covers the frame of the element.');
  const at = middle ? { x: middle.point.x - width / 2, y: middle.point.y - height / 2 } : { x, y };
  const scrolled = await tab.frames.main.call(inPage.more.isScrolled, [], signal);
  return { x: at.x + scrolled.x, y: at.y + scrolled.y, width, height };
};
