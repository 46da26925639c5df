// `openchrome serve` serves MCP until the client disconnects; `worker` works for a cluster.
import type { RunCommand } from '../command.ts';

export const run: RunCommand = async (words, { wiring }, command) => {
  const isWorker = command.path[0] === 'worker';
  await (isWorker ? wiring.work(words) : wiring.serve(words));
  return 0;
};
