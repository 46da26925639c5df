// For screenshots: measures elements, and draws refs over the elements that they name.
import type { ElementArea } from './call-answers.ts';
import { select } from './describe-element.ts';
import { findElement, isHere } from './state.ts';
import { attempt } from './objects.ts';

/** Scrolls the element into view and measures it; null if it has left the document. */
export const measureArea = (id: number): ElementArea | null => {
  const element = findElement(id);
  if (!element || !isHere(element)) return null;
  const { top, left, bottom, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
};

/** The scroll position of the page. */
export const isScrolled = (): { x: number; y: number } => ({ x: scrollX, y: scrollY });

/** The id of the first match; 0 without a match, null for an invalid selector. */
export const firstMatch = (selector: string): number | null =>
  attempt(() => select(selector, 1)[0]?.id ?? 0, null);

const COLOURS = ['#c2185b', '#1565c0', '#2e7d32', '#e65100', '#6a1b9a', '#00695c'];
const BOX = 'position:fixed;box-sizing:border-box;pointer-events:none;border:2px solid';
const LABEL =
  'position:absolute;top:-2px;padding:0 3px;font:bold 11px/14px ' +
  'monospace;color:#fff;white-space:nowrap;background:';

/**
 * A label of 14 px would cover the text of a low element, so it is drawn left of it if there is
 * room.
 */
const hides = ({ x, height }: DOMRect, ref: string): boolean =>
  height < 30 && x >= 7 * ref.length + 6;

let host: HTMLElement | undefined;

const box = (ref: string, rect: DOMRect, colour: string): HTMLElement => {
  const { x, y, width, height } = rect;
  const frame = document.createElement('div');
  const size = `width:${Math.max(width, 4)}px;height:${Math.max(height, 4)}px`;
  frame.style.cssText = `${BOX} ${colour};left:${x}px;top:${y}px;${size}`;
  const label = frame.appendChild(document.createElement('span'));
  label.style.cssText = `${LABEL}${colour};${hides(rect, ref) ? 'right:100%' : 'left:-2px'}`;
  label.textContent = ref;
  return frame;
};

/**
 * Draws each ref over its element, in the top layer and in a shadow root out of reach of page
 * styles.
 */
export const drawMarks = (refs: readonly (readonly [id: number, ref: string])[]): void => {
  clearMarks();
  host = document.createElement('div');
  host.popover = 'manual';
  host.style.cssText =
    'all:initial;position:fixed;inset:0;width:100vw;height:100vh;overflow:hidden;' +
    'background:none;border:0;padding:0;margin:0;pointer-events:none';
  const root = host.attachShadow({ mode: 'closed' });
  let drawn = 0;
  for (const [id, ref] of refs) {
    const rect = findElement(id)?.getBoundingClientRect();
    if (rect) root.append(box(ref, rect, COLOURS[drawn++ % COLOURS.length] ?? 'red'));
  }
  document.documentElement.append(host);
  host.showPopover();
};

export const clearMarks = (): void => {
  host?.remove();
  host = undefined;
};
