// What reading a page needs inside it; kept in the isolated world under __oc.
export { walk, walkAround } from './walk.ts';
export { adoptRoot } from './shadow.ts';
export { takeSuspects } from './suspects.ts';
export { element, ready, select } from './describe.ts';
export { idOf as numberOf } from './ids.ts';
