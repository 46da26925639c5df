// Measures the area of an element in page coordinates, in any frame.
import { fail } from '../../core/failure.ts';
import { toPageCoordinates } from '../act/frame-coordinates.ts';
import type { ElementArea } from '../../page/call-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { invalidSelectorFailure } from './call-page.ts';
import { type ElementPlace, resolveRef, staleRefFailure } from './resolve-ref.ts';
import { inPage } from '../tabs/in-page.ts';

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
