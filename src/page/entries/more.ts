// The page functions for actions, find and drawing.
import { atPoint, mapThroughFrame, waitForLayout as waitUntilDrawn } from '../act/at-point.ts';
import { choose, findOption, isOpen, pick, readChoices } from '../act/choices.ts';
import { offerCopy, pasteByScript, readClipboard } from '../act/clipboard.ts';
import { beginForm, nextInForm, releaseForm } from '../act/form.ts';
import { find as findTarget } from '../act/locate.ts';
import { prepare } from '../act/prepare.ts';
import { change as waitForChange } from '../act/rhythm.ts';
import {
  scrollPosition,
  scrollRest,
  textShown as isTextShown,
  waitFor,
} from '../act/page-waits.ts';
import { beginWatch, endWatch, settleWatch, watchFocused } from '../act/watch.ts';
import { find, findStop, findWait } from '../find/find-elements.ts';
import { clearMarks, drawMarks, firstMatch, isScrolled, measureArea } from '../marks.ts';
import { implement } from '../page-functions.ts';
import { describeRecorded, findRecorded } from '../recorded/find-recorded.ts';

export const functions = implement('more', {
  choose,
  findOption,
  readChoices,
  isOpen,
  pick,
  offerCopy,
  pasteByScript,
  readClipboard,
  findTarget,
  prepare,
  waitForChange,
  scrollPosition,
  scrollRest,
  waitUntilDrawn,
  mapThroughFrame,
  beginWatch: () => beginWatch(),
  settleWatch,
  endWatch,
  watchFocused,
  isTextShown,
  waitFor,
  beginForm,
  nextInForm,
  releaseForm,
  atPoint,
  find,
  findWait,
  findStop,
  measureArea,
  clearMarks,
  drawMarks,
  firstMatch,
  isScrolled,
  describeRecorded,
  findRecorded,
});
