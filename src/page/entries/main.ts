// The page functions that read a page.
import { readAlerts } from '../alerts.ts';
import { takeClosedContent, walkWithClosedContent } from '../closed-content.ts';
import { element, identify, select } from '../describe-element.ts';
import { assignId } from '../ids.ts';
import { implement } from '../page-functions.ts';
import { adoptRoots } from '../shadow.ts';
import { rehearse, takeRehearsed, walk } from '../walk.ts';

export const functions = implement('main', {
  walk,
  rehearse,
  takeRehearsed,
  readAlerts,
  adoptRoots,
  takeClosedContent,
  walkWithClosedContent,
  element,
  identify,
  select,
  assignId,
});
