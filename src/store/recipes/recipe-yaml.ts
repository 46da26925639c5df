// Parses and writes the YAML of recipes. The library is loaded only for recipes.
import { parse, stringify, YAMLParseError } from 'yaml';
import { fail, getErrorMessage } from '../../core/failure.ts';

/** The library needs quadratic time for some texts with many errors. */
const MAX_CHARS = 32 * 1024;
/** The library parses recursively: very deep nesting would end the process. */
const MAX_DEPTH = 100;
const DEPTH_CHANGE: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };
/** Indentation and the marks of nested lists and keys before the text of a line. */
const LINE_MARKS = new Set([' ', '-', '?', ':', '\t']);

/** Text without much nesting, also if its brackets are not closed. */
const isShallow = (text: string): boolean => {
  let depth = 0;
  let marks = 0;
  let isStart = true;
  for (const char of text) {
    depth = Math.max(0, depth + (DEPTH_CHANGE[char] ?? 0));
    isStart = char === '\n' || (isStart && LINE_MARKS.has(char));
    marks = isStart && char !== '\n' ? marks + 1 : 0;
    if (depth > MAX_DEPTH || marks > MAX_DEPTH) return false;
  }
  return true;
};

export const parseYaml = (text: string): unknown => {
  if (text.length > MAX_CHARS)
    throw fail(
      'recipe_invalid',
      `The recipe has ${text.length} characters; a recipe has at most ${MAX_CHARS} (32 KB).`,
    );
  if (!isShallow(text))
    throw fail('recipe_invalid', `A recipe has at most ${MAX_DEPTH} levels of nesting.`);
  try {
    // Aliases are rejected: they would let a small file expand to a large value.
    return parse(text, { maxAliasCount: 0, prettyErrors: false, logLevel: 'error' });
  } catch (error) {
    throw fail('recipe_invalid', `${nameLine(text, error)}${getErrorMessage(error)}`);
  }
};

const nameLine = (text: string, error: unknown): string => {
  if (!(error instanceof YAMLParseError)) return '';
  return `Line ${text.slice(0, error.pos[0]).split('\n').length}: `;
};

export const formatYaml = (value: object): string =>
  stringify(value, { lineWidth: 100, aliasDuplicateObjects: false });
