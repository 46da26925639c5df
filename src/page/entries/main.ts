// Exports the page functions that read a page (`__oc` in the isolated world).
export { rehearse, takeRehearsed, walk } from '../walk.ts';
export { readAlerts } from '../alerts.ts';
export { adoptRoots } from '../shadow.ts';
export { beyond, walkWithBeyond } from '../closed-content.ts';
export { element, identify, select } from '../describe-element.ts';
export { assignId as numberOf } from '../ids.ts';
