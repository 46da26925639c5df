// The extension's pages: their elements, and their requests to the service worker.
import type { PageAnswer, PageRequest } from './page-messages.ts';

export const element = <T extends HTMLElement>(id: string): T => {
  const found = document.querySelector<T>(`#${id}`);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
};

export const create = (tag: string, className: string, text = ''): HTMLElement => {
  const created = document.createElement(tag);
  created.className = className;
  created.textContent = text;
  return created;
};

/** `label`: the accessible name, if the text alone is ambiguous. */
export const createButton = (text: string, label: string, press: () => unknown): HTMLElement => {
  const button = create('button', '', text);
  button.setAttribute('aria-label', label);
  button.addEventListener('click', () => void press());
  return button;
};

export const sendRequest = (message: PageRequest): Promise<PageAnswer> =>
  chrome.runtime.sendMessage<PageRequest, PageAnswer>(message);
