// `openchrome run FILE.js` runs a script that calls tools; `batch` runs one command per line.
import { resolve } from 'node:path';
import usages from 'tool-usage';
import { fail, Failure } from '../../../core/failure.ts';
import { isRecord, isUnknownArray, tryParseJson } from '../../../core/json.ts';
import { loadUserFile } from '../../../store/files/user-files.ts';
import type { DaemonClient } from '../client.ts';
import type { CliContext, RunCommand, ToolCommand } from '../command.ts';
import { missingWord, requireNoWords, takeSwitches } from '../command-words.ts';
import { extendToolCommand } from '../extend-tool-command.ts';
import { parseWords } from '../parse.ts';
import { PrintedLines } from '../printed-lines.ts';
import { INTERRUPTED_STATUS } from '../terminal.ts';
import type { Connecting, Wiring } from '../wiring.ts';
import { runParsedCommand } from './tool.ts';

/** Throws if a quote is not closed. */
export const splitShellWords = (line: string): string[] => {
  let words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") word = (word ?? '') + line.charAt(++at);
    else if (character === quote) quote = undefined;
    else if (quote !== undefined) word += character;
    else if (character === '"' || character === "'") [quote, word] = [character, word ?? ''];
    else if (character === '#' && word === undefined) break;
    else if (character.trim() === '') [words, word] = [endWord(words, word), undefined];
    else word = (word ?? '') + character;
  }
  if (quote !== undefined)
    throw fail('invalid_argument', `The line has a ${quote} that is not closed.`, {
      argument: 'line',
    });
  return endWord(words, word);
};

const endWord = (words: string[], word: string | undefined): string[] =>
  word === undefined ? words : [...words, word];

const runBatch: RunCommand = async (words, context, command) => {
  const { on, rest } = takeSwitches(command, words);
  const [file = '-', ...more] = rest;
  requireNoWords(command, more);
  const lines = file === '-' ? context.wiring.readLines() : await loadLines(file);
  const shared = { ...context, wiring: withOneConnection(context.wiring) };
  let [number, worst] = [0, 0];
  for await (const line of lines) {
    number++;
    const status = await runLine(line, number, shared);
    if (status === INTERRUPTED_STATUS) return status;
    worst = Math.max(worst, status);
    if (status !== 0 && !on.has('keep_going')) return status;
  }
  return worst;
};

const loadLines = async (file: string): Promise<readonly string[]> =>
  (await loadUserFile(resolve(file))).split('\n');

/** Runs one line and prints its result; returns its exit status. Empty lines print nothing. */
const runLine = async (line: string, number: number, context: CliContext): Promise<number> => {
  const printed = new PrintedLines(context.terminal);
  try {
    const argv = parseLine(line);
    if (argv.length === 0) return 0;
    const status = await context.run(withJsonFlag(argv), { ...context, terminal: printed });
    context.terminal.out(JSON.stringify({ line: number, ...printed.describe(status) }));
    return status;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { error: facts } = error.render('shell');
    context.terminal.out(JSON.stringify({ line: number, ok: false, error: facts }));
    return error.kind.exit;
  }
};

/** Words after `--` are not flags. */
const withJsonFlag = (argv: readonly string[]): string[] => {
  const end = argv.indexOf('--');
  return argv.toSpliced(end < 0 ? argv.length : end, 0, '--json');
};

/** Commands that would read the same input, or serve until they are ended. */
const NOT_IN_BATCH = new Set(['batch', 'serve', 'watch', 'daemon']);

const parseLine = (line: string): string[] => {
  const words = line.trimStart().startsWith('{') ? callWords(line) : listWords(line);
  const [first, ...rest] = words;
  const argv = first === 'openchrome' ? rest : words;
  if (argv[0] !== undefined && NOT_IN_BATCH.has(argv[0]))
    throw fail('invalid_argument', `A batch cannot run "${argv[0]}".`, { argument: 'line' });
  return argv;
};

/** Words, or a JSON array of words. */
const listWords = (line: string): string[] => {
  if (!line.trimStart().startsWith('[')) return splitShellWords(line);
  const words = tryParseJson(line);
  if (isUnknownArray(words)) return words.map(String);
  throw notACommand();
};

/** `{"tool": NAME, "args": {...}}` */
const callWords = (line: string): string[] => {
  const call = tryParseJson(line);
  if (!isRecord(call) || typeof call['tool'] !== 'string') throw notACommand();
  const { tool, args = {}, session } = call;
  const flags = typeof session === 'string' ? ['--session', session] : [];
  return ['call', tool, '--args', JSON.stringify(args), ...flags];
};

const notACommand = (): Failure =>
  fail('invalid_argument', 'The line is JSON, but not a command.', {
    argument: 'line',
    hint: 'Write {"tool": NAME, "args": {...}}, a JSON array of words, or a command.',
  });

/** Commands with the same settings use one connection. */
const withOneConnection = (wiring: Wiring): Wiring => {
  const clients = new Map<string, Promise<DaemonClient>>();
  const connect = ({ signal, ...options }: Connecting): Promise<DaemonClient> => {
    const key = JSON.stringify(options);
    const known = clients.get(key) ?? wiring.connect({ ...options, signal });
    clients.set(key, known);
    known.catch(() => clients.delete(key));
    return known;
  };
  return { ...wiring, connect };
};

const runScript: RunCommand = async (words, context, command) => {
  const script = extendToolCommand(command, 'script', ['code', 'args'], context);
  const parsed = parseWords(script, words, usages.config);
  const { file, arg = {}, ...others } = parsed.args;
  if (typeof file !== 'string') throw missingWord(command, 'FILE');
  const code = file === '-' ? await context.wiring.readStdin() : await loadUserFile(resolve(file));
  const args = { ...others, code, args: arg };
  const shown: ToolCommand = { ...script, data: true, textFailures: true };
  return runParsedCommand(shown, { ...parsed, args }, context);
};

export const run: RunCommand = (words, context, command) =>
  command.path[0] === 'batch'
    ? runBatch(words, context, command)
    : runScript(words, context, command);
