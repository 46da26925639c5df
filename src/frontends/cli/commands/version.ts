// `openchrome version`: the version of this build.
import { VERSION } from '../../../core/version.ts';
import { requireNoWords } from '../own-words.ts';
import type { Run } from '../program.ts';

export const run: Run = async (words, { terminal }, command) => {
  requireNoWords(command, words);
  terminal.out(VERSION);
  return 0;
};
