// Parses the CSV table of `recipe run --repeat`: a line of names, then one row of values per run.
import { CsvError, parse } from 'csv-parse/sync';
import { fail, type Failure } from '../../core/failure.ts';

export interface CsvRow {
  /** The line of the file where the row starts. */
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

export interface CsvTable {
  readonly names: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** `source`: the path, for failures. Throws if the text is not a table with at least one row. */
export const parseCsvTable = (text: string, source: string): CsvTable => {
  const [head, ...rows] = parseCells(text, source).filter(({ cells }) => cells.some(Boolean));
  if (!head) throw invalid(source, 'The file has no line with the names of the columns.');
  if (rows.length === 0) throw invalid(source, 'The table has no rows.');
  const names = head.cells.map((name) => name.trim());
  requireDistinct(names, head.line, source);
  return {
    names,
    rows: rows.map(({ line, cells }) => {
      if (cells.length !== names.length)
        throw invalid(
          source,
          `Line ${line}: the row has ${cells.length} values for ${names.length} columns.`,
        );
      return { line, values: Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])) };
    }),
  };
};

interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** RFC 4180; lines may also end with LF only. */
const parseCells = (text: string, source: string): CsvLine[] => {
  const rows: CsvLine[] = [];
  let end = 0;
  try {
    parse(text, {
      relax_column_count: true, // the failure for a row with more or fewer cells names its line
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      on_record: (cells: string[], { lines }) => {
        rows.push({ line: lines - cells.join('').split('\n').length + 1, cells });
        end = lines;
        return null;
      },
    });
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(source, describeError(error, end + 1));
  }
};

/** `line`: where the row starts. */
const describeError = ({ code, message }: CsvError, line: number): string =>
  `Line ${line}: ${PROBLEMS[code] ?? message}.`;

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  INVALID_OPENING_QUOTE: 'a value that contains a quote must be in quotes, with the quote doubled',
  CSV_INVALID_CLOSING_QUOTE: 'a comma or the end of the line must follow a closing quote',
};

const requireDistinct = (names: readonly string[], line: number, source: string): void => {
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw invalid(source, `Line ${line}: column ${unnamed + 1} has no name.`);
  const double = names.find((name, at) => names.indexOf(name) !== at);
  if (double !== undefined)
    throw invalid(source, `Line ${line}: two columns have the name "${double}".`);
};

const invalid = (source: string, message: string): Failure =>
  fail('invalid_argument', `${source}: ${message}`, {
    argument: 'repeat',
    hint: 'Write a CSV file in UTF-8: values are separated by commas, the first line has the names.',
  });
