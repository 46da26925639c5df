// Formats JSON for people: values that fit stay on one line, others are indented. Pure.

import { isObject } from '../../core/json.ts';

const INDENT = '  ';

/** `columns`: the maximum width of a line. */
export const renderJson = (value: unknown, columns: number, indent = ''): string => {
  const line = oneLine(value);
  if (!isNested(value) || indent.length + line.length <= columns) return line;
  const inner = indent + INDENT;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => renderJson(item, columns, inner))]
    : [
        '{',
        '}',
        Object.entries(value).map(
          ([name, item]) => `${JSON.stringify(name)}: ${renderJson(item, columns, inner)}`,
        ),
      ];
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
};

const isNested = (value: unknown): value is object =>
  isObject(value) && Object.keys(value).length > 0;

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};
