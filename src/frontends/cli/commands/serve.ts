// `openchrome serve`: serves MCP until the client disconnects.
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { wiring }) => {
  await wiring.serve(words);
  return 0;
};
