// `openchrome worker`: works for a cluster until it is interrupted.
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { wiring }) => {
  await wiring.work(words);
  return 0;
};
