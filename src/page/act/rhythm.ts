// The beats of a page: its tasks, its frames, and the next change of its content.

/** After everything that is already waiting to run. */
export const task = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(0);
  });

/** After timers that were set to run at once. */
export const timer = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A page that is not drawn (behind others, minimised) has no frames: time stands in for them. */
const FRAME_AT_MOST_MS = 50;

/** Before the page is next drawn. */
export const frame = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = setTimeout(resolve, FRAME_AT_MOST_MS);
    requestAnimationFrame(() => {
      clearTimeout(stop);
      resolve();
    });
  });

/** Whether the page was drawn within the time. */
export const drawnWithin = (ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = setTimeout(() => resolve(false), ms);
    requestAnimationFrame(() => {
      clearTimeout(stop);
      resolve(true);
    });
  });

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

/** When the document changes, or when the time is up. */
export const change = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      observer.disconnect();
      clearTimeout(stop);
      resolve();
    };
    const observer = new MutationObserver(done);
    const stop = setTimeout(done, ms);
    observer.observe(document, EVERYTHING);
  });

export const observeEverything = (observer: MutationObserver, roots: Iterable<Node>): void => {
  for (const root of roots) observer.observe(root, EVERYTHING);
};
