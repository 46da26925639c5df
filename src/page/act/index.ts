// Exports the page functions that actions call.
export {
  choose as actChoose,
  findOption as actFindOption,
  readChoices as actHeld,
  isOpen as actIsOpen,
  isSelected as actIsSelected,
  pick as actPick,
} from './choices.ts';
export {
  offerCopy as actOfferCopy,
  pasteByScript as actPasteByScript,
  readClipboard as actReadClipboard,
} from './clipboard.ts';
export { find as actFind } from './locate.ts';
export { prepare as actPrepare } from './prepare.ts';
export { change as actChange } from './rhythm.ts';
export { scrollPosition as actScrollPosition, scrollRest as actScrollRest } from './scrolling.ts';
export { drawn as actDrawn, mapThroughFrame as actThroughFrame } from './through-frame.ts';
export {
  beginWatch as actWatch,
  settleWatch as actSettle,
  watchFocused as actWatchFocused,
} from './watch.ts';
export { textShown as actTextShown, waitFor as actWaitFor } from './wait-until-ready.ts';
export { beginForm as actFormBegin, nextInForm as actFormNext } from './form.ts';
export { atPoint as actAtPoint } from './at-point.ts';
