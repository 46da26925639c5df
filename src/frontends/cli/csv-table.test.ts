// CSV tables of `recipe run --repeat`.
import { expect, it } from 'vitest';
import { parseCsvTable } from './csv-table.ts';

const parse = (text: string) => parseCsvTable(text, 'rows.csv');

it('values can contain quotes, commas and line breaks, and each row has its line', () => {
  expect(parse('name,note\r\nAda,"a ""b"", c"\nBob,"two\nlines"\n\nEve,\n,\n')).toEqual({
    names: ['name', 'note'],
    rows: [
      { line: 2, values: { name: 'Ada', note: 'a "b", c' } },
      { line: 3, values: { name: 'Bob', note: 'two\nlines' } },
      { line: 6, values: { name: 'Eve', note: '' } },
    ],
  });
});

it('texts that look like numbers or spaces stay unchanged', () => {
  const { rows } = parse('code\n007\n1e3\n a \n');
  expect(rows.map(({ values }) => values['code'])).toEqual(['007', '1e3', ' a ']);
});

it.each([
  [
    'a quote inside of a value',
    'disk\n5" disk\n3" disk\n',
    'Line 2: a value that contains a quote',
  ],
  ['text after a closing quote', 'a,b\n1,"x"y\n', 'Line 2: a comma or the end of the line must'],
  ['a quote that is not closed', 'a\n1\n"2\n3', 'Line 3: a quote is not closed'],
  ['a row with more values', 'a,b\n1,2\n1,2,3\n', 'Line 3: the row has 3 values for 2 columns'],
  ['a row with fewer values', 'a,b\n1\n', 'Line 2: the row has 1 values for 2 columns'],
  ['two columns of one name', 'a,b, a\n1,2,3\n', 'Line 1: two columns have the name "a"'],
  ['a column without a name', 'a,,b\n1,2,3\n', 'Line 1: column 2 has no name'],
  ['no line', '', 'no line with the names of the columns'],
  ['no row', 'a,b\n', 'The table has no rows'],
])('rejects a table with %s', (_, text, message) => {
  expect(() => parse(text)).toThrow(message);
});
