// Parses dotenv files: NAME=value and NAME@host,host=value lines. Ignores other lines.

import { matchGroups } from './text.ts';

const LINE = /^(?:export[ \t]+)?([A-Za-z_][\w.-]*(?:@[^\s=]*)?)[ \t]*=(.*)$/;

export const parseDotenv = (text: string): Map<string, string> => {
  const values = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const [, name, given] = matchGroups(LINE, (lines[i] ?? '').trimStart());
    if (name === undefined || given === undefined) continue;
    const rest = given.trimStart();
    const quote = /^["'`]/.exec(rest)?.[0];
    if (quote === undefined) {
      values.set(name, withoutComment(rest).trim());
      continue;
    }
    // A quoted value may span several lines.
    const parts = [rest.slice(1)];
    while (findQuoteEnd(parts.at(-1) ?? '', quote) < 0 && i + 1 < lines.length)
      parts.push(lines[++i] ?? '');
    const last = parts.pop() ?? '';
    const end = findQuoteEnd(last, quote);
    const value = [...parts, end < 0 ? last : last.slice(0, end)].join('\n');
    values.set(name, quote === '"' ? unescaped(value) : value);
  }
  return values;
};

/** A comment starts at a # at the beginning or after a space. */
const withoutComment = (text: string): string => {
  const at = text.search(/(?:^|\s)#/);
  return at < 0 ? text : text.slice(0, at);
};

const findQuoteEnd = (text: string, quote: string): number => {
  for (let i = 0; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return -1;
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
