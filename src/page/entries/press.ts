// Stands in every document before its own scripts, so that a press can be judged before the page
// sees it.

/** What judges presses while an action is under way. */
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

/** Presses go to `judge` until another one is set. */
export const judgePresses = (judge: ((event: Event) => void) | undefined): void => {
  if (judge) holder.__ocPress = judge;
  else delete holder.__ocPress;
};

if (!holder.__ocPressHeard) {
  holder.__ocPressHeard = true;
  for (const name of PRESSES) addEventListener(name, (event) => holder.__ocPress?.(event), true);
}
