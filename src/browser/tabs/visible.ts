// Makes a background tab draw at full rate, without taking the focus of the user's window.
import { keepDrawing } from './screencast.ts';
import type { Tab } from './tab.ts';

/** Whether the tab belongs to a headless Chrome that we started. */
const isHeadless = ({ ours, viewport }: Tab): boolean => ours && viewport !== undefined;

/**
 * Chrome draws a background tab late, which delays screenshots and pointer input. In headless
 * Chrome, `Page.bringToFront` solves this. In a window it would take the user's focus.
 */
export const makeVisible = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  if (isHeadless(tab)) await tab.cdp.send('Page.bringToFront', undefined, signal);
  else keepDrawing(tab);
};

/** Makes a tab of a Chrome with windows draw while a call needs frames. */
export const drawDuringCall = (tab: Tab): void => {
  if (!isHeadless(tab)) keepDrawing(tab);
};
