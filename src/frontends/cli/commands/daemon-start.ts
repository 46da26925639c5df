// `openchrome daemon start`: starts a daemon in the background, or reports the running one.
import { startDaemon } from '../daemon/control.ts';
import { runInterruptibly } from '../interruptible.ts';
import { takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';
import { abortable } from '../../../core/time.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
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
