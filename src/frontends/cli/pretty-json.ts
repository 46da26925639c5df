// JSON for people: what fits stays on one line, what does not is laid out, and nothing else
// changes. Pure.

const INDENT = '  ';

/** `columns`: how wide a line may be. */
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
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};
