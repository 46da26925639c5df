// Everything that the browser room calls inside a page; kept in the isolated world under __oc.
export { walk, walkAround } from './walk.ts';
export { adoptRoot } from './shadow.ts';
export { takeSuspects } from './suspects.ts';
export { element, select } from './describe.ts';
export * from './act/index.ts';
export { idOf as numberOf } from './ids.ts';
export { find, findStop, findWait } from './find.ts';
export { areaOf, clearMarks, drawMarks, firstMatch, scrolled } from './marks.ts';
