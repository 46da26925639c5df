// `openchrome install-browser`: a Chrome in the home folder; progress on stderr, the result on stdout.
import { interruptible } from '../interruptible.ts';
import { requireNoWords } from '../own-words.ts';
import type { Run } from '../program.ts';

export const run: Run = async (words, { terminal, wiring }, command) => {
  requireNoWords(command, words);
  const installed = await interruptible((signal) => wiring.installBrowser((line) => terminal.err(line), signal));
  terminal.out(terminal.interactive ? installed.path : JSON.stringify(installed));
  return 0;
};
