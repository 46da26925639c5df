// `openchrome serve`: MCP until the client is gone.
import type { Run } from '../program.ts';

export const run: Run = async (words, { wiring }) => {
  await wiring.serve(words);
  return 0;
};
