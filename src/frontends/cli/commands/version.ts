// `openchrome version`: the version of this build.
import { VERSION } from '../../../core/version.ts';
import { requireNoWords } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal }, command) => {
  requireNoWords(command, words);
  terminal.out(VERSION);
  return 0;
};
