// `openchrome skill`: prints the skill file for agents, as it fits this version.
import { requireNoWords } from '../own-words.ts';
import type { Run } from '../program.ts';
import { skill } from '../skill.ts';

export const run: Run = async (words, { terminal }, command) => {
  requireNoWords(command, words);
  terminal.out(skill().trimEnd());
  return 0;
};
