// `openchrome complete WORD...`: prints completions of the last word, for shell scripts.
import { listCompletions } from '../completion.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, program }) => {
  const found = listCompletions(program, words[0] === '--' ? words.slice(1) : words);
  if (found.length > 0)
    terminal.out(
      found.map(({ word, says }) => (says === '' ? word : `${word}\t${says}`)).join('\n'),
    );
  return 0;
};
