// Edits our entry in a host's JSON file; keeps comments, order and indentation. Pure.
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { fail, type Failure } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';

const ENTRY = 'openchrome';

/** Sets `section.openchrome`; removes it if `entry` is undefined. */
export const editJsonEntry = (text: string, section: string, entry: object | undefined): string => {
  const source = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || typeof root !== 'object' || root === null || Array.isArray(root))
    throw notEditable(error);
  const held = (root as Record<string, unknown>)[section];
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
