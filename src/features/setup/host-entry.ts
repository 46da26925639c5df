// Defines a host that starts MCP servers, and edits our entry in its JSON or TOML file.
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { fail, type Failure } from '../../core/failure.ts';
import { isObject, isRecord } from '../../core/json.ts';
import { matchGroups } from '../../core/text.ts';

/** The command that the host runs. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The environment; passed in for tests. */
export interface HostMachine {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Host {
  /** The name on the command line. */
  readonly id: string;
  readonly name: string;
  /** Returns the path of the configuration file. */
  readonly file: (machine: HostMachine) => string;
  /** Returns the file's text with our entry added or removed, otherwise unchanged. */
  readonly edit: (text: string, launch: ServerCommand | undefined) => string;
  /** What the user must do for the change to take effect. */
  readonly afterwards: string;
}

// Edits our entry in a host's JSON file; keeps comments, order and indentation. Pure.

const ENTRY = 'openchrome';

/** Sets `section.openchrome`; removes it if `entry` is undefined. */
export const editJsonEntry = (text: string, section: string, entry: object | undefined): string => {
  const source = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || !isRecord(root)) throw notEditable(error);
  const held = root[section];
  if (entry === undefined && !holdsOurs(held)) return text;
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(source),
    tabSize: /^( +)"/m.exec(source)?.[1]?.length ?? 2,
    eol: source.includes('\r\n') ? '\r\n' : '\n',
  };
  // Remove the section too if it has no other entry.
  const path = entry === undefined && holdsOnlyOurs(held) ? [section] : [section, ENTRY];
  const edited = applyEdits(source, modify(source, path, entry, { formattingOptions }));
  return edited.endsWith('\n') || !source.endsWith('\n') ? edited : `${edited}\n`;
};

const notEditable = (error: ParseError | undefined): Failure => {
  const reason = error ? ` (${printParseErrorCode(error.error)} at ${error.offset})` : '';
  return fail('invalid_argument', `The file is not JSON that can be edited${reason}.`, {
    hint: 'Correct it manually, or move it to another folder, then call again.',
  });
};

const holdsOurs = (section: unknown): boolean => isObject(section) && Object.hasOwn(section, ENTRY);

const holdsOnlyOurs = (section: unknown): boolean =>
  isObject(section) && Object.keys(section).every((name) => name === ENTRY);

// Edits our table in a host's TOML file; keeps all other lines. Pure.

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
