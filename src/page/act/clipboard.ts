// The clipboard as a page sees it: what was copied, what the next copy command shall copy, and a
// paste without a clipboard.
import { localName } from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import { focusedElement } from './describe-target.ts';
import { pageBody } from './document.ts';

const MAX_COPIED_CHARS = 1_000_000;
/** A command that does not come by then does not come. */
const OFFERED_FOR_MS = 2000;

/** What is selected: in the field that has the focus, else in the page. */
const selectedText = (): string => {
  const focus = focusedElement(getShadowRoot);
  if (focus && (localName(focus) === 'input' || localName(focus) === 'textarea')) {
    const { type, value, selectionStart, selectionEnd } = focus as HTMLInputElement;
    return type === 'password' ? '' : value.slice(selectionStart ?? 0, selectionEnd ?? 0);
  }
  return getSelection()?.toString() ?? '';
};

/**
 * Calls back with what a copy or cut put onto the clipboard, after all that the page has to say
 * about it.
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

/** The next copy command copies this text, and the page does not hear of it. */
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

/** Lets the page handle a paste by a script's event; whether it took it. */
export const pasteByScript = (text: string): boolean => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const target = focusedElement(getShadowRoot) ?? pageBody() ?? document;
  return !target.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
  );
};

/** Chrome's clipboard; nothing where the page may not read it. */
export const readClipboard = async (): Promise<string | undefined> => {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return undefined;
  }
};
