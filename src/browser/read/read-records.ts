// Reads all possible records (tables, repeated groups) of a page, without interpreting them.
import type { ExtractAnswer } from '../../page/extract/extract-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { callOwnFrame, type ReadTarget, type LoadedScript } from './call-page.ts';

const source = (): LoadedScript => import('page-script:extract');

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
  const question = { source, call: '__oc_extract.read', args: { multiple } };
  return (await callOwnFrame<ExtractAnswer>(tab, place, question, signal)).answer;
};
