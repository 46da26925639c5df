// `openchrome serve`: MCP until the client is gone.
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { wiring }) => {
  await wiring.serve(words);
  return 0;
};
