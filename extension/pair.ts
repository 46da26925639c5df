// The pairing page: shows the digits of the ticket in its address, and pairs if the user confirms.
import { deriveDigits } from '../src/browser/extension/link-proof.ts';
import { element, sendRequest } from './page-elements.ts';

const TICKET = /^[\w-]{43}$/;

const given = new URLSearchParams(location.hash.slice(1));
// The ticket does not stay in the history.
history.replaceState(undefined, '', location.pathname);
const ticket = given.get('ticket') ?? '';
const port = Number(given.get('port'));
const confirm = element<HTMLButtonElement>('confirm');

const showDigits = async (): Promise<void> => {
  if (!TICKET.test(ticket) || !Number.isInteger(port)) {
    element('outcome').textContent =
      'This address is not complete. Run "openchrome setup --extension" and open the address that it prints.';
    return;
  }
  const digits = await deriveDigits(ticket);
  element('digits').textContent = `${digits.slice(0, 3)} ${digits.slice(3)}`;
  confirm.disabled = false;
};

confirm.addEventListener('click', () => {
  confirm.disabled = true;
  void sendRequest({ kind: 'pair', port, ticket }).then(({ error }) => {
    element('outcome').textContent =
      error === undefined
        ? 'Paired. You can close this tab.'
        : 'Not paired: the server did not accept the ticket, or it is not running. Run "openchrome setup --extension" again.';
  });
});
void showDigits();
