// Our table in a TOML file that belongs to somebody else; every other line stays as it was. Pure.

/** Sets (or with nothing, removes) the table of that name. */
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
  const all = [...kept, ...(kept.length > 0 && ours.length > 0 ? [''] : []), ...ours];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return all.map((line) => line + eol).join('');
};

/** The table goes until the next one begins; tables within it (`[table.env]`) are part of it. */
const withoutTable = (lines: readonly string[], table: string): string[] => {
  const kept: string[] = [];
  let within = false;
  for (const line of lines) {
    const [, header] = /^\[{1,2}([^\]]+)\]/.exec(line.trimStart()) ?? [];
    const name = header?.trim();
    if (name !== undefined) within = name === table || name.startsWith(`${table}.`);
    if (!within) kept.push(line);
  }
  return kept;
};

/** Basic strings of TOML are written as those of JSON are. */
const tomlValue = (value: string | readonly string[]): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
