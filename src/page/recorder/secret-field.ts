// Which fields hold what must not be written down: passwords, codes and cards, by their type,
// purpose or name.
import { attribute, hasAttribute } from '../safe-dom.ts';

const PURPOSE = /(?:current-|new-)password|one-time-code|cc-(?:number|csc|exp)/i;
const NAME =
  /passw|passcode|passphrase|secret|token|csrf|xsrf|api.?key|otp\b|cvv|cvc|card.?(?:number|no\b)|iban|ssn|\bpin\b|mot.?de.?passe|kennwort/i;

export const isSecretField = (element: Element): boolean => {
  const type = attribute(element, 'type')?.toLowerCase();
  // rrweb's own mark of a field that was one for passwords before somebody asked to see it.
  if (type === 'password' || hasAttribute(element, 'data-rr-is-password')) return true;
  if (PURPOSE.test(attribute(element, 'autocomplete') ?? '')) return true;
  return NAME.test(`${attribute(element, 'name') ?? ''} ${attribute(element, 'id') ?? ''}`);
};

/** The same for every secret, so that not even its length is told. */
export const MASK = '••••••••';
