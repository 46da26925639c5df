// Records user actions in every frame, and DOM changes in the top frame.
import { hear, isHovered, reportAfter } from '../recorder/actions.ts';
import { flush, follow } from '../recorder/dom-stream.ts';

const holder = globalThis as unknown as { __ocRecording?: readonly (() => void)[] };

reportAfter(flush);
// If the script runs twice in a document, the first recording continues.
holder.__ocRecording ??= self === top ? [hear(), follow()] : [hear()];

export const stop = (): void => {
  for (const end of holder.__ocRecording ?? []) end();
  holder.__ocRecording = [];
};

export { isHovered as hovered };
