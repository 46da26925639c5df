// Records user actions in every frame, and DOM changes in the top frame.
import { findHovered, hear, reportAfter } from '../recorder/actions.ts';
import { flush, follow } from '../recorder/dom-stream.ts';
import { implement } from '../page-functions.ts';

const holder = globalThis as unknown as { __ocRecording?: readonly (() => void)[] };

reportAfter(flush);
// If the script runs twice in a document, the first recording continues.
holder.__ocRecording ??= self === top ? [hear(), follow()] : [hear()];

const stop = (): void => {
  for (const end of holder.__ocRecording ?? []) end();
  holder.__ocRecording = [];
};

export const functions = implement('recorder', {
  findHovered,
  readTitle: () => document.title,
  stop,
});
