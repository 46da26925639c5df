// `openchrome version`: the version of this build.
import { VERSION } from '../../../core/version.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  terminal.out(on.has('json') ? JSON.stringify({ version: VERSION }) : VERSION);
  return 0;
};
