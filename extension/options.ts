// The options page: shows the paired server, and forgets it.
import { element, sendRequest } from './page-elements.ts';
import type { PageRequest } from './page-messages.ts';

const UNPAIRED = 'No server is paired. Run "openchrome setup --extension" in a terminal.';

const perform = async (message: PageRequest): Promise<void> => {
  const { port, isLinked } = (await sendRequest(message)).state;
  const link = isLinked ? 'connected' : 'not running';
  element('pairing').textContent =
    port === undefined ? UNPAIRED : `Paired with the server on port ${port}, which is ${link}.`;
  element('forget').hidden = port === undefined;
};

element('forget').addEventListener('click', () => void perform({ kind: 'forget' }));
void perform({ kind: 'state' });
