// What acting, finding and drawing need inside a page; kept in the isolated world under __oc_more.
export * from '../act/index.ts';
export { find, findStop, findWait } from '../find/find-elements.ts';
export {
  measureArea as areaOf,
  clearMarks,
  drawMarks,
  firstMatch,
  isScrolled as scrolled,
} from '../marks.ts';
