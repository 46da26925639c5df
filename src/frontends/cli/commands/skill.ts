// `openchrome skill`: prints the skill file for agents, as it fits this version.
import { requireNoWords } from '../own-words.ts';
import type { Run } from '../program.ts';
import { skill } from '../skill.ts';

export const run: Run = async (words, { terminal, program }, command) => {
  requireNoWords(command, words);
  terminal.out(skill(program.commands()).trimEnd());
  return 0;
};
