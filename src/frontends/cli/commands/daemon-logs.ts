// `openchrome daemon logs`: prints the last lines of the daemon's log; --follow prints new ones.
import { fail } from '../../../core/failure.ts';
import { followDaemonLog, tailDaemonLog } from '../../../store/config/daemon-log.ts';
import { runInterruptibly } from '../interruptible.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

const LINES = 100;

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
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
