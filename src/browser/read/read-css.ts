// Reads a report of the styles and layout of a page or of one element.
import type { CssAnswer, CssElement, CssPage, RefTarget } from '../../page/read-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { callOwnFrame, type ReadTarget, assignRefs, type LoadedScript } from './call-page.ts';

const source = (): LoadedScript => import('page-script:css');

export type { CssElement, CssPage } from '../../page/read-answers.ts';

export type CssReport =
  | { readonly page: CssPage; readonly element?: undefined }
  | { readonly element: CssElement; readonly page?: undefined };

export const readCss = async (
  tab: Tab,
  place: ReadTarget,
  signal: AbortSignal,
): Promise<CssReport & { readonly refOf: (target: RefTarget) => string }> => {
  const { answer, frame } = await callOwnFrame<CssAnswer>(
    tab,
    place,
    { source, call: '__oc_css.read', args: {} },
    signal,
  );
  return { ...answer, refOf: assignRefs(tab, frame) };
};
