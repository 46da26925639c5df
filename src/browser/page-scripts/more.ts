// What acting, finding and drawing need inside a page; kept in the isolated world under __oc_more.
export * from './act/index.ts';
export { find, findStop, findWait } from './find.ts';
export { areaOf, clearMarks, drawMarks, firstMatch, scrolled } from './marks.ts';
