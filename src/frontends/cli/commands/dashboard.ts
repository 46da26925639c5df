// `openchrome dashboard`: starts a daemon if none runs, and opens its dashboard in the browser.
import { abortable } from '../../../core/time.ts';
import { takeSwitches } from '../command-words.ts';
import { createDashboardUrl, requireRunningDaemon } from '../daemon/control.ts';
import { openOnDesktop } from '../desktop.ts';
import type { RunCommand } from '../command.ts';
import { runInterruptibly } from '../terminal.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const settings = await wiring.loadSettings(rest);
  const note = await runInterruptibly((signal) =>
    abortable(requireRunningDaemon(wiring.home, settings), signal),
  );
  const url = await createDashboardUrl(note);
  const opened = !on.has('noOpen') && openOnDesktop(url);
  if (on.has('json')) terminal.out(JSON.stringify({ url, opened }));
  else terminal.out(opened ? 'Opened the dashboard in your browser.' : url);
  return 0;
};
