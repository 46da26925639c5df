// Removes secrets from one text. Pure; also runs in a worker thread.
import { hideSecrets } from './secret-values.ts';
import { isBlob } from './walk.ts';

/** In base64 only known secrets are hidden, because it can match any pattern by chance. */
export const redactText = (text: string, hideKnown: (text: string) => string): string =>
  isBlob(text) ? hideKnown(text) : hideSecrets(hideKnown(text));
