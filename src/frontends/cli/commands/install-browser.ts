// `openchrome install-browser`: downloads a Chrome into the home folder.
import { runInterruptibly } from '../interruptible.ts';
import { requireNoWords } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  requireNoWords(command, words);
  const installed = await runInterruptibly((signal) =>
    wiring.installBrowser((line) => terminal.err(line), signal),
  );
  terminal.out(terminal.interactive ? installed.path : JSON.stringify(installed));
  return 0;
};
