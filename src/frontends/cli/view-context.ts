// The context of a view (width, time, colours, tab ids), and the tables and notes that views share.
import type { Colour } from './terminal.ts';
import { type TableColumn, renderTable, wrapParagraph } from './text-layout.ts';

export interface ViewContext {
  /** Width of the terminal; Infinity in a pipe, so that nothing is shortened. */
  readonly columns: number;
  readonly now: number;
  readonly paint: (colour: Colour, text: string) => string;
  /** Short ids of tabs, by tabId. */
  readonly tabs: Readonly<Record<string, string>>;
}

export const formatTab = ({ tabs }: ViewContext, tabId: string): string => tabs[tabId] ?? tabId;

export const drawTable = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { columns, paint }: ViewContext,
): string => renderTable(titles, rows, columns, (head) => paint('bold', head));

export const wrapNote = (text: string, { columns }: ViewContext): string =>
  columns === Infinity ? text : wrapParagraph(text, columns);
