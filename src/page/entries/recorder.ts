// What a recording needs inside a page: in every frame it hears what is done, in the page itself it
// follows the document.
import { hear, isHovered, reportAfter } from '../recorder/actions.ts';
import { flush, follow } from '../recorder/dom-stream.ts';

const holder = globalThis as unknown as { __ocRecording?: readonly (() => void)[] };

reportAfter(flush);
// Where it was put in twice, the first one works.
holder.__ocRecording ??= self === top ? [hear(), follow()] : [hear()];

export const stop = (): void => {
  for (const end of holder.__ocRecording ?? []) end();
  holder.__ocRecording = [];
};

export { isHovered as hovered };
