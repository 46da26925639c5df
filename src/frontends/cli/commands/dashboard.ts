// `openchrome dashboard`: starts a daemon if none runs, and opens its dashboard in the browser.
import { fail } from '../../../core/failure.ts';
import { abortable } from '../../../core/time.ts';
import { isRecord } from '../../../core/json.ts';
import { TICKET_PATH } from '../../dashboard/paths.ts';
import { takeSwitches } from '../command-words.ts';
import { requireRunningDaemon } from '../daemon/control.ts';
import { sendRequest } from '../daemon/wire.ts';
import { openOnDesktop } from '../desktop.ts';
import { runInterruptibly } from '../interruptible.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const settings = await wiring.loadSettings(rest);
  const note = await runInterruptibly((signal) =>
    abortable(requireRunningDaemon(wiring.home, settings), signal),
  );
  const { status, body } = await sendRequest(note, { method: 'POST', path: TICKET_PATH, body: {} });
  const ticket = isRecord(body) ? body['ticket'] : undefined;
  if (typeof ticket !== 'string')
    throw fail('daemon_lost', `The daemon returned no ticket (status ${status}).`);
  const url = `http://127.0.0.1:${note.port}/?ticket=${ticket}`;
  const opened = !on.has('noOpen') && openOnDesktop(url);
  if (on.has('json')) terminal.out(JSON.stringify({ url, opened }));
  else terminal.out(opened ? 'Opened the dashboard in your browser.' : url);
  return 0;
};
