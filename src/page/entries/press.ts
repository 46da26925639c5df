// Installs press listeners before the page's scripts, so that a press can be blocked.

/**
 * Globals of the isolated world: the current press handler, and whether listeners are installed.
 */
interface Holder {
  __ocPress?: (event: Event) => void;
  __ocPressHeard?: true;
}

const holder = globalThis as unknown as Holder;

export const PRESSES = [
  'pointerdown',
  'mousedown',
  'pointerup',
  'mouseup',
  'click',
  'auxclick',
  'dblclick',
  'contextmenu',
];

/** Sets the function that receives all press events; undefined removes it. */
export const judgePresses = (judge: ((event: Event) => void) | undefined): void => {
  if (judge) holder.__ocPress = judge;
  else delete holder.__ocPress;
};

if (!holder.__ocPressHeard) {
  holder.__ocPressHeard = true;
  for (const name of PRESSES) addEventListener(name, (event) => holder.__ocPress?.(event), true);
}
