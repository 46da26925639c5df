// `openchrome daemon status`: what the daemon runs, for whom, and what it costs.
import { daemonStatus } from '../daemon/control.ts';
import { renderStatus } from '../daemon/status.ts';
import { requireNoWords, takeSwitches } from '../own-words.ts';
import type { Run } from '../program.ts';

export const run: Run = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const { config, ...status } = await daemonStatus(wiring.home);
  const asJson = on.has('json') || !terminal.interactive;
  terminal.out(asJson ? JSON.stringify(status) : renderStatus({ ...status, config }, terminal));
  return 0;
};
