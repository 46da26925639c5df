// `openchrome daemon start`: starts a daemon in the background, or reports the running one.
import { startDaemon } from '../daemon/control.ts';
import { runInterruptibly } from '../interruptible.ts';
import type { RunCommand } from '../program.ts';
import { abortable } from '../../../core/time.ts';

export const run: RunCommand = async (words, { terminal, wiring }) => {
  const settings = await wiring.loadSettings(words); // invalid flags fail before a start
  const starting = (signal: AbortSignal) => abortable(startDaemon(wiring.home, settings), signal);
  const { started, status } = await runInterruptibly(starting);
  const { pid, port, version } = status;
  const says = started ? 'The daemon is ready' : 'The daemon was running already';
  terminal.out(
    terminal.interactive
      ? `${says}: pid ${pid}, port ${port}.`
      : JSON.stringify({ started, pid, port, version }),
  );
  return 0;
};
