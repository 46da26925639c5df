// Sends messages of the recorder to the engine, and detects fields whose values must not be sent.
import { attribute, attributeText, hasAttribute } from '../safe-dom.ts';
import type { PageMessage } from './messages.ts';

/** The engine adds it before this script runs, in this world only: the page cannot see it. */
declare const __oc_say: (message: string) => void;

/** Longer messages are dropped, because they would block the page and the following messages. */
const MAX_CHARS = 32_000_000;

export const send = (message: PageMessage): void => {
  const text = JSON.stringify(message);
  __oc_say(
    text.length <= MAX_CHARS
      ? text
      : JSON.stringify({ kind: 'lost', chars: text.length } satisfies PageMessage),
  );
};

// Detects fields with secrets (passwords, codes, cards) by type, autocomplete or name.

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
