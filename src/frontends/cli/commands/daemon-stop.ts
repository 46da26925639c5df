// `openchrome daemon stop`: ends the daemon, its tasks and its Chrome, and waits for their end.
import { textIf } from '../../../core/text.ts';
import { stopDaemon } from '../daemon/control.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
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
