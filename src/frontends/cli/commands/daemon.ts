// `openchrome daemon start|stop|restart|status|logs`: controls the process that runs Chrome.
import usages from 'tool-usage';
import { fail } from '../../../core/failure.ts';
import { textIf } from '../../../core/text.ts';
import { abortable } from '../../../core/time.ts';
import { followDaemonLog, tailDaemonLog } from '../../../store/config/daemon-log.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { readDaemonStatus, startDaemon, stopDaemon } from '../daemon/control.ts';
import { renderConfiguration, renderStatus } from '../daemon/status.ts';
import type { RunCommand } from '../command.ts';
import { runInterruptibly } from '../terminal.ts';

const start: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const settings = await wiring.loadSettings(rest); // invalid flags fail before a start
  const starting = (signal: AbortSignal) => abortable(startDaemon(wiring.home, settings), signal);
  const { started, status } = await runInterruptibly(starting);
  const { pid, port, version } = status;
  const outcome = started ? 'Started the daemon' : 'The daemon is already running';
  terminal.out(
    on.has('json')
      ? JSON.stringify({ started, pid, port, version })
      : `${outcome} (pid ${pid}, port ${port}).`,
  );
  return 0;
};

/** Ends the daemon, its tasks and its Chrome, and waits for their end. */
const stop: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const outcome = await stopDaemon(wiring.home);
  const { stopped, pid, killed } = outcome;
  const text = stopped
    ? `Stopped the daemon (pid ${pid})${textIf(killed, '; it did not respond and was killed')}.`
    : 'No daemon is running.';
  terminal.out(on.has('json') ? JSON.stringify(outcome) : text);
  return 0;
};

/** Ends the daemon and starts one with these settings. */
const restart: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const settings = await wiring.loadSettings(rest); // invalid flags fail before the stop
  const { stopped } = await stopDaemon(wiring.home);
  const { status } = await runInterruptibly((signal) =>
    abortable(startDaemon(wiring.home, settings), signal),
  );
  const { pid, port, version } = status;
  const outcome = stopped ? 'Restarted the daemon; its tabs were closed' : 'Started the daemon';
  terminal.out(
    on.has('json')
      ? JSON.stringify({ restarted: stopped, pid, port, version })
      : `${outcome} (pid ${pid}, port ${port}).`,
  );
  return 0;
};

/** Prints the daemon's clients, work and resource usage. */
const printStatus: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const status = await readDaemonStatus(wiring.home);
  const flags = usages.config.map(({ flag }) => flag);
  const columns = terminal.interactive ? terminal.columns : Infinity;
  terminal.out(
    on.has('json')
      ? JSON.stringify(status)
      : `${renderStatus(status, terminal)}\n\n${renderConfiguration(status, flags, columns)}`,
  );
  return 0;
};

const LINES = 100;

/** Prints the last lines of the daemon's log; --follow prints new ones. */
const printLog: RunCommand = async (words, { terminal, wiring }, command) => {
  const { lines, rest: others } = takeLines(words);
  const { on, rest } = takeSwitches(command, others);
  requireNoWords(command, rest);
  const { daemonLog } = wiring.home;
  const last = tailDaemonLog(daemonLog, { lines });
  if (last.length > 0) terminal.out(last.join('\n'));
  if (!on.has('follow')) return 0;
  await runInterruptibly((signal) =>
    followDaemonLog(daemonLog, (text) => terminal.out(text), signal),
  );
  return 0;
};

/** Takes `--lines N` or `--lines=N` out of the words. */
const takeLines = (
  words: readonly string[],
): { readonly lines: number; readonly rest: readonly string[] } => {
  const at = words.findIndex((word) => word === '--lines' || word.startsWith('--lines='));
  if (at < 0) return { lines: LINES, rest: words };
  const [, inline] = (words[at] ?? '').split('=');
  const lines = Number(inline ?? words[at + 1]);
  if (!Number.isSafeInteger(lines) || lines < 1)
    throw fail('invalid_argument', '--lines takes a number above 0.', { argument: 'lines' });
  return { lines, rest: words.toSpliced(at, inline === undefined ? 2 : 1) };
};

const RUNS: Readonly<Record<string, RunCommand>> = {
  start,
  stop,
  restart,
  status: printStatus,
  logs: printLog,
};

export const run: RunCommand = async (words, context, command) => {
  const action = command.path.at(-1) ?? '';
  const runAction = RUNS[action];
  if (!runAction) throw new Error(`unknown daemon command ${action}`);
  return runAction(words, context, command);
};
