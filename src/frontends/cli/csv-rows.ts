// Parses CSV with a header line into records, with quotes and line breaks in quotes. Pure.
import { fail } from '../../core/failure.ts';

export const parseCsvRows = (text: string): Record<string, string>[] => {
  const [names = [], ...rows] = splitRows(text).filter((row) => row.some((cell) => cell !== ''));
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name.trim(), row[i] ?? ''])));
};

const splitRows = (text: string): string[][] => {
  const rows: string[][] = [[]];
  let [cell, quoted] = ['', false];
  const endCell = (): void => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quoted && character === '"' && text.charAt(at + 1) === '"') cell += text.charAt(at++);
    else if (character === '"') quoted = !quoted;
    else if (quoted) cell += character;
    else if (character === ',') endCell();
    else if (character === '\n') {
      endCell();
      rows.push([]);
    } else if (character !== '\r') cell += character;
  }
  if (quoted) throw fail('invalid_argument', 'The table has a quote that is not closed.');
  endCell();
  return rows;
};
