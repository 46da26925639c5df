// `openchrome completion SHELL`: the script that lets a shell complete our commands.
import { completionScript, type Shell } from '../completion-scripts.ts';
import { requireNoWords } from '../own-words.ts';
import type { Run } from '../program.ts';

export const run: Run = async (words, { terminal }, command) => {
  requireNoWords(command, words);
  terminal.out(completionScript(command.path.at(-1) as Shell));
  return 0;
};
