// Renders console messages as lines: level, location and text, with the stack of errors.
import { getOrCreate } from '../core/collections.ts';
import { valueIf, ifDefined } from '../core/defined.ts';
import { textIf } from '../core/text.ts';

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
  readonly at?: number;
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

const formatPosition = ({ line, column }: Frame): string => `:${line}:${column}`;

const formatPlace = (frame: Frame): string => `${shortUrl(frame.url)}${formatPosition(frame)}`;

const formatText = (text: string): string => {
  const words =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  return words.replace(/\n[ \t]{1,40}at [^\n]{0,4000}/g, '').replaceAll('\n', '\n  ');
};

const formatStack = (stack: readonly Frame[]): string =>
  stack.map((frame) => `\n  at ${frame.function || '(anonymous)'} ${formatPlace(frame)}`).join('');

/** One line of the reply: a message, or several similar ones. */
interface ShownLine {
  readonly message: ConsoleLineData;
  readonly text: string;
  readonly count: number;
  /** The differences between similar messages. */
  readonly differences?: string;
}

const showMessage = (message: ConsoleLineData): ShownLine => ({
  message,
  text: formatText(message.text),
  count: message.count,
});

const renderLine = (shown: ShownLine, place: string | undefined): string => {
  const { level, from, stack } = shown.message;
  const head = [
    level,
    from,
    shown.text,
    valueIf(shown.count > 1, `(x${shown.count})`),
    ifDefined(place, (place) => `@ ${place}`),
    shown.differences,
  ];
  return head.filter(Boolean).join(' ') + formatStack(stack);
};

const renderLines = (shown: readonly ShownLine[]): string[] =>
  shown.map((line) => renderLine(line, ifDefined(line.message.place, formatPlace)));

// In a long list, messages that differ only in words with digits are folded into one line.

/** Shorter lists show every message in its place. */
const LONG_LIST = 20;
const MIN_SIMILAR = 3;

/** Messages of one place whose texts are equal except for words with digits. */
interface SimilarMessages {
  readonly message: ConsoleLineData;
  /** The text of the first message: words, and the characters between them. */
  readonly pieces: readonly string[];
  /** For each message, its words with digits. */
  readonly rows: (readonly string[])[];
}

const hasDigit = (word: string): boolean => /\d/.test(word);

const groupSimilar = (lines: readonly ConsoleLineData[]): Map<ConsoleLineData, SimilarMessages> => {
  const groups = new Map<string, SimilarMessages>();
  const groupOf = new Map<ConsoleLineData, SimilarMessages>();
  for (const message of lines) {
    const { text, at: _at, ...rest } = message;
    const pieces = formatText(text).split(/([\w.-]+)/);
    const fixed = pieces.map((piece) => (hasDigit(piece) ? 0 : piece));
    const key = JSON.stringify([rest, fixed]);
    const group = getOrCreate(groups, key, () => ({ message, pieces, rows: [] }));
    group.rows.push(pieces.filter(hasDigit));
    groupOf.set(message, group);
  }
  return groupOf;
};

/** The words at one position of similar messages as one text; undefined if all are the same. */
const joinDifferent = (words: readonly string[]): string | undefined =>
  valueIf(new Set(words).size > 1, words.join(','));

/** Replaces the words that differ by `#` (or `#1`, `#2` …), and lists them for each message. */
const showSimilar = ({
  message,
  pieces,
  rows: [first = [], ...rest],
}: SimilarMessages): ShownLine => {
  const columns = first.map((word, i) => joinDifferent([word, ...rest.map((row) => row[i] ?? '')]));
  const different = [...new Set(columns.filter((column) => column !== undefined))];
  const formatMark = (column: string): string =>
    `#${textIf(different.length > 1, String(different.indexOf(column) + 1))}`;
  let next = 0;
  const text = pieces.map((piece) => {
    const column = hasDigit(piece) ? columns[next++] : undefined;
    return ifDefined(column, formatMark) ?? piece;
  });
  return {
    message,
    text: text.join(''),
    count: message.count * (rest.length + 1),
    differences: different.map((column) => `${formatMark(column)}=${column}`).join(' '),
  };
};

const foldSimilar = (lines: readonly ConsoleLineData[]): ShownLine[] => {
  const groupOf = groupSimilar(lines);
  return lines.flatMap((message): ShownLine[] => {
    const group = groupOf.get(message);
    if (!group || group.rows.length < MIN_SIMILAR) return [showMessage(message)];
    return group.message === message ? [showSimilar(group)] : [];
  });
};

/** Names a file once for consecutive lines. */
const renderByFile = (shown: readonly ShownLine[]): string[] =>
  shown.map((line, i) => {
    const { place } = line.message;
    const isSameFile = place && place.url === shown[i - 1]?.message.place?.url;
    return renderLine(line, ifDefined(place, isSameFile ? formatPosition : formatPlace));
  });

const ABOUT_FOLDING =
  '… similar messages are folded, # marks their differences (fold false: one by one, in order)';

const renderFolded = (lines: readonly ConsoleLineData[]): string[] => {
  const shown = foldSimilar(lines);
  const rows = renderByFile(shown);
  return shown.length < lines.length ? [ABOUT_FOLDING, ...rows] : rows;
};

export const renderConsole = (
  { lines, cursor, older, dropped }: ConsoleData,
  fold = true,
): string => {
  const notes = [
    valueIf(older > 0, `… ${older} older; raise limit, or filter with level or text`),
    valueIf(dropped > 0, `… ${dropped} were dropped because of the size limit`),
  ].filter((note) => note !== undefined);
  if (lines.length === 0) return [...notes, `no messages (cursor ${cursor})`].join('\n');
  const rows =
    fold && lines.length > LONG_LIST ? renderFolded(lines) : renderLines(lines.map(showMessage));
  return [...notes, ...rows, `cursor ${cursor}`].join('\n');
};
