// Installs press listeners before the page's scripts, so that a press can be blocked.

/**
 * Globals of the isolated world: the current press handler, and whether listeners are installed.
 */
declare global {
  var __ocPress: ((event: Event) => void) | undefined;
  var __ocPressHeard: true | undefined;
}

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
  globalThis.__ocPress = judge;
};

if (!globalThis.__ocPressHeard) {
  globalThis.__ocPressHeard = true;
  for (const name of PRESSES)
    addEventListener(name, (event) => globalThis.__ocPress?.(event), true);
}
