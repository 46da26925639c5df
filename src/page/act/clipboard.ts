// Clipboard of the page: reports copied text, replaces the next copy, and dispatches paste events.
import { localName, pageBody } from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import { focusedElement } from './describe-target.ts';
import { TEXT_FIELD_TAGS } from '../element-kinds.ts';

const MAX_COPIED_CHARS = 1_000_000;
/** How long a replacement text waits for the copy command. */
const OFFERED_FOR_MS = 2000;

/** The selected text in the focused field, else in the page. Empty for password fields. */
const selectedText = (): string => {
  const focus = focusedElement(getShadowRoot);
  if (focus && TEXT_FIELD_TAGS.has(localName(focus))) {
    const { type, value, selectionStart, selectionEnd } = focus as HTMLInputElement;
    return type === 'password' ? '' : value.slice(selectionStart ?? 0, selectionEnd ?? 0);
  }
  return getSelection()?.toString() ?? '';
};

/**
 * Calls back with the copied or cut text. Listens on window in the bubble phase, so that listeners
 * of the page on inner nodes run first.
 */
export const handleCopied = (callback: (text: string) => void, signal: AbortSignal): void => {
  const hear = (event: ClipboardEvent): void => {
    if (!event.isTrusted) return;
    const text = event.defaultPrevented
      ? (event.clipboardData?.getData('text/plain') ?? '')
      : selectedText();
    if (text !== '') callback(text.slice(0, MAX_COPIED_CHARS));
  };
  addEventListener('copy', hear, { signal });
  addEventListener('cut', hear, { signal });
};

let offer: AbortController | undefined;

/** Makes the next copy command copy this text. Listeners of the page do not receive the event. */
export const offerCopy = (text: string): void => {
  offer?.abort();
  const { signal } = (offer = new AbortController());
  const end = setTimeout(() => offer?.abort(), OFFERED_FOR_MS);
  signal.addEventListener('abort', () => clearTimeout(end));
  const give = (event: ClipboardEvent): void => {
    event.stopImmediatePropagation();
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    offer?.abort();
  };
  addEventListener('copy', give, { capture: true, signal });
};

/** Dispatches a paste event. Returns whether the page handled it (called preventDefault). */
export const pasteByScript = (text: string): boolean => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const target = focusedElement(getShadowRoot) ?? pageBody() ?? document;
  return !target.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
  );
};

/** Reads the clipboard; undefined if the page may not read it. */
export const readClipboard = async (): Promise<string | undefined> => {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return undefined;
  }
};
