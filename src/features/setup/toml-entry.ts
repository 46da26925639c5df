// Edits our table in a host's TOML file; keeps all other lines. Pure.

import { matchGroups } from '../../core/text.ts';

/** Sets the table; removes it if `values` is undefined. */
export const editTomlTable = (
  text: string,
  table: string,
  values: Readonly<Record<string, string | readonly string[]>> | undefined,
): string => {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const kept = withoutTable(lines, table);
  if (!values && kept.length === lines.length) return text;
  while (kept.at(-1)?.trim() === '') kept.pop();
  const ours = values
    ? [
        `[${table}]`,
        ...Object.entries(values).map(([name, value]) => `${name} = ${tomlValue(value)}`),
      ]
    : [];
  if (kept.length > 0 && ours.length > 0) kept.push('');
  const all = [...kept, ...ours];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return all.map((line) => line + eol).join('');
};

/** Removes the table and its subtables, such as `[table.env]`. */
const withoutTable = (lines: readonly string[], table: string): string[] => {
  const kept: string[] = [];
  let within = false;
  for (const line of lines) {
    const [, header] = matchGroups(/^\[{1,2}([^\]]+)\]/, line.trimStart());
    const name = header?.trim();
    if (name !== undefined) within = name === table || name.startsWith(`${table}.`);
    if (!within) kept.push(line);
  }
  return kept;
};

/** JSON strings are valid TOML basic strings. */
const tomlValue = (value: string | readonly string[]): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
