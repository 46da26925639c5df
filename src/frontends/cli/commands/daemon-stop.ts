// `openchrome daemon stop`: ends the daemon, its tasks and its Chrome, and waits for their end.
import { stopDaemon } from '../daemon/control.ts';
import { requireNoWords } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  requireNoWords(command, words);
  const outcome = await stopDaemon(wiring.home);
  const { stopped, pid, killed } = outcome;
  const says = stopped
    ? `The daemon (pid ${pid}) has ended${killed ? ': it did not answer and was killed' : ''}.`
    : 'No daemon was running.';
  terminal.out(terminal.interactive ? says : JSON.stringify(outcome));
  return 0;
};
