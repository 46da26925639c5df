// The page functions that read a page.
import { readAlerts } from '../alerts.ts';
import {
  rehearse,
  takeClosedContent,
  takeRehearsed,
  walk,
  walkWithClosedContent,
} from '../walk.ts';
import { element, identify, select } from '../describe-element.ts';
import { assignId } from '../state.ts';
import { implement } from '../page-functions.ts';
import { adoptRoots } from '../shadow.ts';

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
