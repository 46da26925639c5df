// `openchrome complete WORD…`: what the last word could become, one a line with a tab and its
// meaning, for completion scripts.
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
