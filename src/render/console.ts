// Renders console messages as lines: level, location and text, with the stack of errors.
import { valueIf, ifDefined } from '../core/defined.ts';

interface Frame {
  readonly function: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

interface ConsoleLineData {
  readonly level: string;
  readonly from?: string;
  readonly text: string;
  readonly count: number;
  readonly place?: Frame;
  readonly stack: readonly Frame[];
}

interface ConsoleData {
  readonly lines: readonly ConsoleLineData[];
  readonly cursor: number;
  readonly older: number;
  readonly dropped: number;
}

const MAX_TEXT = 1000;

/** The last parts of a URL path, which identify the file. */
const shortUrl = (url: string): string => {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').split(/[?#]/)[0] ?? url;
  const parts = path.split('/').filter(Boolean);
  return parts.slice(-2).join('/') || '/';
};

const place = ({ url, line, column }: Frame): string => `${shortUrl(url)}:${line}:${column}`;

const renderLine = ({ level, from, text, count, place: at, stack }: ConsoleLineData): string => {
  const words =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  const head = [
    level,
    from,
    words.replace(/\n[ \t]{1,40}at [^\n]{0,4000}/g, '').replaceAll('\n', '\n  '),
    valueIf(count > 1, `(x${count})`),
    ifDefined(at, (at) => `@ ${place(at)}`),
  ];
  const below = stack.map((frame) => `  at ${frame.function || '(anonymous)'} ${place(frame)}`);
  return [head.filter((part) => part !== undefined).join(' '), ...below].join('\n');
};

export const renderConsole = ({ lines, cursor, older, dropped }: ConsoleData): string => {
  const notes = [
    valueIf(older > 0, `… ${older} older; raise limit, or filter with level or text`),
    valueIf(dropped > 0, `… ${dropped} were dropped because of the size limit`),
  ].filter((note) => note !== undefined);
  if (lines.length === 0) return [...notes, `no messages (cursor ${cursor})`].join('\n');
  return [...notes, ...lines.map(renderLine), `cursor ${cursor}`].join('\n');
};
