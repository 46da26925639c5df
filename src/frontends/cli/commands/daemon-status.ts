// `openchrome daemon status`: prints the daemon's clients, work and resource usage.
import { readDaemonStatus } from '../daemon/control.ts';
import { renderStatus } from '../daemon/status.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const { config, ...status } = await readDaemonStatus(wiring.home);
  terminal.out(
    on.has('json') ? JSON.stringify(status) : renderStatus({ ...status, config }, terminal),
  );
  return 0;
};
