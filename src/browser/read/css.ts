// Visual diagnosis of a page or of one element.
import type { CssAnswer, CssElement, CssPage, Target } from '../page-scripts/look-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { askAbout, type Place, refsIn, type LoadedScript } from './ask.ts';

const source = (): LoadedScript => import('page-script:css');

export type { CssElement, CssPage } from '../page-scripts/look-answers.ts';

export type CssReport =
  | { readonly page: CssPage; readonly element?: undefined }
  | { readonly element: CssElement; readonly page?: undefined };

export const readCss = async (
  tab: Tab,
  place: Place,
  signal: AbortSignal,
): Promise<CssReport & { readonly refOf: (target: Target) => string }> => {
  const { answer, frame } = await askAbout<CssAnswer>(tab, place, { source, call: '__oc_css.read', args: {} }, signal);
  return { ...answer, refOf: refsIn(tab, frame) };
};
