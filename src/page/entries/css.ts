// Visual diagnosis: of the page as a whole, or of one element.
import { elementReport } from '../css/element.ts';
import { pageReport } from '../css/page.ts';
import type { CssAnswer, NoSubject } from '../read-answers.ts';
import { deepQueryAll, documentTitle, findSubject, isNoSubject } from '../selectors.ts';
import { implement, type SubjectOptions } from '../page-functions.ts';

const read = ({ subject }: SubjectOptions): CssAnswer | NoSubject => {
  const about = { title: documentTitle() };
  if (!subject) return { ...about, page: pageReport() };
  const found = findSubject(subject);
  if (isNoSubject(found)) return found;
  const matches = subject.selector === undefined ? 1 : deepQueryAll(subject.selector, 1).total;
  return { ...about, element: elementReport(found, matches) };
};

export const functions = implement('css', { read });
