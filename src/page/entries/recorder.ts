// Records user actions in every frame, and DOM changes in the top frame.
import { findHovered, listenToActions, reportAfter } from '../recorder/actions.ts';
import { flush, follow } from '../recorder/dom-stream.ts';
import { implement } from '../page-functions.ts';

declare global {
  var __ocRecording: readonly (() => void)[] | undefined;
}

reportAfter(flush);
// If the script runs twice in a document, the first recording continues.
globalThis.__ocRecording ??= self === top ? [listenToActions(), follow()] : [listenToActions()];

const stop = (): void => {
  for (const end of globalThis.__ocRecording ?? []) end();
  globalThis.__ocRecording = [];
};

export const functions = implement('recorder', {
  findHovered,
  readTitle: () => document.title,
  stop,
});
