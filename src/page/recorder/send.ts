// The way out of the page: one function that the engine put into this world alone.
import type { PageMessage } from './messages.ts';

/** Set before this script runs; the page cannot see it. */
declare const __oc_say: (message: string) => void;

/** A single message beyond this is not told: it would hold up the page and everything behind it. */
const MAX_CHARS = 32_000_000;

export const send = (message: PageMessage): void => {
  const text = JSON.stringify(message);
  __oc_say(
    text.length <= MAX_CHARS
      ? text
      : JSON.stringify({ kind: 'lost', chars: text.length } satisfies PageMessage),
  );
};
