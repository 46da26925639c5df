// `openchrome daemon status`: prints the daemon's clients, work and resource usage.
import usages from 'tool-usage';
import { readDaemonStatus } from '../daemon/control.ts';
import { renderConfiguration, renderStatus } from '../daemon/status.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const status = await readDaemonStatus(wiring.home);
  const flags = usages.config.map(({ flag }) => flag);
  const columns = terminal.interactive ? terminal.columns : Infinity;
  terminal.out(
    on.has('json')
      ? JSON.stringify(status)
      : `${renderStatus(status, terminal)}\n\n${renderConfiguration(status, flags, columns)}`,
  );
  return 0;
};
