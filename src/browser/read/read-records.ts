// Reads all possible records (tables, repeated groups) of a page, without interpreting them.
import type { ExtractAnswer } from '../../page/extract/extract-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { inPage } from '../tabs/in-page.ts';
import { callOwnFrame, type ReadTarget } from './call-page.ts';

export type PageRecords = ExtractAnswer;
export type { RecordGroup as Group, Leaf, Table } from '../../page/extract/extract-answers.ts';

interface ExtractOptions extends ReadTarget {
  readonly multiple: boolean;
}

export const readRecords = async (
  tab: Tab,
  { multiple, ...place }: ExtractOptions,
  signal: AbortSignal,
): Promise<PageRecords> => {
  const { answer } = await callOwnFrame(
    tab,
    place,
    { call: inPage.extract.read, request: (subject) => ({ subject, multiple }) },
    signal,
  );
  return answer;
};
