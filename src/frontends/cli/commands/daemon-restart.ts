// `openchrome daemon restart`: ends the daemon and starts one with these settings.
import { abortable } from '../../../core/time.ts';
import { takeSwitches } from '../command-words.ts';
import { startDaemon, stopDaemon } from '../daemon/control.ts';
import { runInterruptibly } from '../interruptible.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
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
