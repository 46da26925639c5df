// Reads a report of the styles and layout of a page or of one element.
import type { CssElement, CssPage, RefTarget } from '../../page/read-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { inPage } from '../tabs/in-page.ts';
import { callOwnFrame, type ReadTarget, assignRefs } from './call-page.ts';

export type { CssElement, CssPage } from '../../page/read-answers.ts';

export type CssReport =
  | { readonly page: CssPage; readonly element?: undefined }
  | { readonly element: CssElement; readonly page?: undefined };

export const readCss = async (
  tab: Tab,
  place: ReadTarget,
  signal: AbortSignal,
): Promise<CssReport & { readonly refOf: (target: RefTarget) => string }> => {
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    { call: inPage.css.read, request: (subject) => ({ subject }) },
    signal,
  );
  return { ...answer, refOf: assignRefs(tab, frame) };
};
