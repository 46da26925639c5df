// `openchrome install-browser`: downloads a Chrome into the home folder.
import { runInterruptibly } from '../interruptible.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const installed = await runInterruptibly((signal) =>
    wiring.installBrowser((line) => terminal.err(line), signal),
  );
  terminal.out(on.has('json') ? JSON.stringify(installed) : installed.path);
  return 0;
};
