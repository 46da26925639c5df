// Detects fields with secrets (passwords, codes, cards) by type, autocomplete or name.
import { attribute, attributeText, hasAttribute } from '../safe-dom.ts';

const PURPOSE = /(?:current-|new-)password|one-time-code|cc-(?:number|csc|exp)/i;
const NAME = new RegExp(
  [
    'passw|passcode|passphrase|secret|token|csrf|xsrf|api.?key',
    String.raw`otp\b|cvv|cvc|card.?(?:number|no\b)|iban|ssn|\bpin\b`,
    'mot.?de.?passe|kennwort',
  ].join('|'),
  'i',
);

export const isSecretField = (element: Element): boolean => {
  const type = attribute(element, 'type')?.toLowerCase();
  // rrweb sets this attribute on a field that was a password field before it was revealed.
  if (type === 'password' || hasAttribute(element, 'data-rr-is-password')) return true;
  if (PURPOSE.test(attributeText(element, 'autocomplete'))) return true;
  return NAME.test(`${attributeText(element, 'name')} ${attributeText(element, 'id')}`);
};

/** The same for every secret, so that it does not reveal the length. */
export const MASK = '••••••••';
