// Exports the page functions for actions, find and drawing (`__oc_more` in the isolated world).
export * from '../act/index.ts';
export { find, findStop, findWait } from '../find/find-elements.ts';
export {
  measureArea as areaOf,
  clearMarks,
  drawMarks,
  firstMatch,
  isScrolled as scrolled,
} from '../marks.ts';
