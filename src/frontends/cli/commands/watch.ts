// `openchrome watch`: prints each call of agents and commands as it happens, one line per call.
import { join } from 'node:path';
import { sleep } from '../../../core/time.ts';
import { EntryTail } from '../../../store/tasks/working-files.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { formatDuration, formatTime } from '../amounts.ts';
import type { RunCommand } from '../command.ts';
import { INTERRUPTED, INTERRUPTED_STATUS, runInterruptibly, type Terminal } from '../terminal.ts';
import { cutToWidth, toOneLine } from '../text-layout.ts';

/** How often the journal is read: a call is shown within this time. */
const LOOK_MS = 150;

interface JournalCall {
  readonly ts: number;
  readonly tool?: string;
  readonly event?: string;
  readonly session?: string;
  readonly durationMs?: number;
  readonly ok?: boolean;
  readonly code?: string;
  readonly tokens?: number;
  readonly summary?: string;
  /** Of a question to the user. */
  readonly id?: string;
  readonly outcome?: string;
  readonly effect?: string;
  readonly host?: string;
  readonly reason?: string;
}

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const print = (entry: JournalCall): void =>
    terminal.out(on.has('json') ? JSON.stringify(entry) : renderCall(entry, terminal));
  try {
    return await runInterruptibly((signal) => follow(wiring.home.journal, print, signal));
  } catch (error) {
    if (error !== INTERRUPTED) throw error;
    return INTERRUPTED_STATUS;
  }
};

/** Every process of this home appends to one file per day. */
const locateJournal = (folder: string, now: number): string =>
  join(folder, `journal-${new Date(now).toISOString().slice(0, 10)}.jsonl`);

const follow = async (
  folder: string,
  print: (entry: JournalCall) => void,
  signal: AbortSignal,
): Promise<number> => {
  let path = locateJournal(folder, Date.now());
  let tail = new EntryTail(path);
  await tail.readNew(); // earlier calls: "openchrome journal" lists them
  for (;;) {
    await sleep(LOOK_MS, signal);
    for (const entry of await tail.readNew()) print(entry as JournalCall);
    const today = locateJournal(folder, Date.now());
    if (today !== path) [path, tail] = [today, new EntryTail(today)];
  }
};

/** Shows how to answer an open question: `submit on shop.example: openchrome approve k7m2qx` */
const describeQuestion = ({ event, id, outcome, effect, host, reason }: JournalCall): string => {
  if (event !== 'approval' && event !== 'handoff') return '';
  const about = event === 'approval' ? `${effect} on ${host}` : (reason ?? '');
  if (outcome !== 'waiting') return `${outcome}: ${about}`;
  const commands =
    event === 'approval'
      ? `openchrome approve ${id}, openchrome deny ${id}`
      : `openchrome handoff done ${id}, openchrome handoff cant ${id}`;
  return `waits for you: ${about}; ${commands}`;
};

/** `14:05:33  default  interact  ok  120 ms  34 tokens  clicked e5 button "Load"` */
const renderCall = (entry: JournalCall, terminal: Terminal): string => {
  const { ts, tool, event, session = '', durationMs, ok, code, tokens } = entry;
  const { summary = describeQuestion(entry) } = entry;
  const outcome = ok === false ? (code ?? 'failed') : 'ok';
  const parts = [
    formatTime(ts, Date.now()),
    session,
    tool ?? event ?? '',
    ok === undefined ? '' : outcome,
    durationMs === undefined ? '' : formatDuration(durationMs),
    tokens === undefined ? '' : `${tokens} tokens`,
    summary,
  ];
  const line = toOneLine(parts.filter((part) => part !== '').join('  '));
  const shown = terminal.interactive ? cutToWidth(line, terminal.columns) : line;
  return ok === false ? terminal.paint('red', shown) : shown;
};
