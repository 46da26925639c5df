// Sends messages from the page to the engine through a binding.
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
