// Sends requests of the extension's own pages to its service worker.
import type { PageAnswer, PageRequest } from './page-messages.ts';

export const sendRequest = (message: PageRequest): Promise<PageAnswer> =>
  chrome.runtime.sendMessage<PageRequest, PageAnswer>(message);
