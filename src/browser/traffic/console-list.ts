// Lists a tab's console messages by level, text and cursor, with repeats folded and stacks mapped.
import { listDefined } from '../../core/collections.ts';
import { compact, defined } from '../../core/defined.ts';
import type { Tab } from '../tabs/tab.ts';
import type { ConsoleEntry, ConsoleLevel } from './console-entry.ts';
import { mapFrames, type MappingOptions } from './source-maps.ts';
import type { StackFrame } from './stack.ts';

const PROBLEM_LEVELS = new Set<string>(['error', 'warning']);

export const CONSOLE_LEVELS = [
  'error',
  'warning',
  'info',
  'debug',
] as const satisfies readonly ConsoleLevel[];

export interface ConsoleChoice {
  /** This level and more severe ones. */
  readonly level: ConsoleLevel;
  /** Only messages after this cursor. */
  readonly since?: number | undefined;
  /** Only messages that contain this text. */
  readonly text?: string | undefined;
  /** Maximum number of lines; the newest are returned. */
  readonly limit: number;
  /** Do not apply source maps: they are loaded through the page, which may hang. */
  readonly unmapped?: boolean;
}

export interface ConsoleLine {
  readonly level: ConsoleLevel;
  /** `exception`, or the component of Chrome; undefined for console calls. */
  readonly from?: string;
  readonly text: string;
  /** Number of consecutive repeats. */
  readonly count: number;
  readonly at: number;
  readonly place?: StackFrame;
  readonly stack: readonly StackFrame[];
  readonly truncated?: true;
}

export interface ConsoleList {
  readonly lines: readonly ConsoleLine[];
  /** Pass it as `since` to get only later messages. */
  readonly cursor: number;
  /** Number of matching messages that are older than those listed. */
  readonly older: number;
  /** Number of messages evicted since the tab was opened. */
  readonly dropped: number;
}

const MAX_STACK = 6;

export const listConsole = async (
  tab: Tab,
  choice: ConsoleChoice,
  options: MappingOptions,
): Promise<ConsoleList> => {
  const { console: ring } = tab.traffic;
  const fitting = ring.since(choice.since ?? 0).filter((entry) => fits(entry, choice));
  const runs = foldRepeats(fitting);
  const shown = runs.slice(-choice.limit);
  const lines = shown.map(toLine);
  const mapped = choice.unmapped ? lines : await mapLines(tab, lines, options);
  const listed = shown.reduce((sum, { count }) => sum + count, 0);
  return {
    lines: mapped,
    cursor: ring.cursor,
    older: fitting.length - listed,
    dropped: ring.evicted,
  };
};

const fits = (entry: ConsoleEntry, { level, text }: ConsoleChoice): boolean =>
  CONSOLE_LEVELS.indexOf(entry.level) <= CONSOLE_LEVELS.indexOf(level) &&
  (text === undefined || entry.text.includes(text)) &&
  !entry.handledLater;

interface ConsoleRun {
  readonly entry: ConsoleEntry;
  count: number;
}

const foldRepeats = (entries: readonly ConsoleEntry[]): ConsoleRun[] => {
  const runs: ConsoleRun[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (
      last &&
      last.entry.text === entry.text &&
      last.entry.level === entry.level &&
      last.entry.kind === entry.kind
    )
      last.count++;
    else runs.push({ entry, count: 1 });
  }
  return runs;
};

/** Errors include their stack; other messages only their location. */
const toLine = ({ entry, count }: ConsoleRun): ConsoleLine => {
  const { level, text, at, truncated } = entry;
  const [place, ...stack] = selectFrames(entry);
  return defined({
    level,
    from: nameOrigin(entry),
    text,
    count,
    at,
    place,
    stack,
    ...compact({ truncated }),
  });
};

/** Replaces the positions of errors and warnings by those in the original sources. */
const mapLines = async (
  tab: Tab,
  lines: readonly ConsoleLine[],
  options: MappingOptions,
): Promise<ConsoleLine[]> => {
  const listFrames = ({ level, place, stack }: ConsoleLine): readonly StackFrame[] =>
    place && PROBLEM_LEVELS.has(level) ? [place, ...stack] : [];
  const frames = await mapFrames(tab, lines.flatMap(listFrames), options);
  let next = 0;
  return lines.map((line) => {
    const { length } = listFrames(line);
    const [place, ...stack] = frames.slice(next, (next += length));
    return place ? { ...line, place, stack } : line;
  });
};

const nameOrigin = ({ kind, from }: ConsoleEntry): string | undefined => {
  if (kind === 'console') return undefined;
  return kind === 'exception' ? 'exception' : from;
};

const selectFrames = (entry: ConsoleEntry): readonly StackFrame[] => {
  if (entry.level === 'error' && entry.kind !== 'browser') return entry.stack.slice(0, MAX_STACK);
  const own = entry.stack[0] ?? findLocation(entry);
  return listDefined(own);
};

const findLocation = ({ url, line = 1, column = 1 }: ConsoleEntry): StackFrame | undefined =>
  url ? { function: '', url, line, column } : undefined;
