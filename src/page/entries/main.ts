// The page functions that read a page.
import type { Alert } from '../call-answers.ts';
import { element, identify, select } from '../describe-element.ts';
import { implement } from '../page-functions.ts';
import { queryAll } from '../safe-dom.ts';
import { adoptRoots } from '../shadow.ts';
import { assignId } from '../state.ts';
import { shortLine } from '../visible-text.ts';
import {
  warmUpWalk,
  takeClosedContent,
  takeRehearsed,
  walk,
  walkWithClosedContent,
} from '../walk.ts';

const ALERTS = '[role=alert],[role=alertdialog],[aria-live=assertive]';
const MAX_ALERTS = 4;
const MAX_INSPECTED = 100;
const MAX_TEXT = 160;

/** Texts of the visible alerts, in document order, without those inside another alert. */
const readAlerts = (): Alert[] => {
  const alerts: Alert[] = [];
  let inspected = 0;
  for (const element of queryAll(document, ALERTS)) {
    if (alerts.length >= MAX_ALERTS || ++inspected > MAX_INSPECTED) break;
    if (element.parentElement?.closest(ALERTS)) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const text = shortLine(
      ((element as HTMLElement).innerText ?? element.textContent).slice(0, MAX_TEXT * 4),
      MAX_TEXT,
    );
    if (text !== '') alerts.push({ role: 'alert', text });
  }
  return alerts;
};

export const functions = implement('main', {
  walk,
  warmUpWalk,
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
