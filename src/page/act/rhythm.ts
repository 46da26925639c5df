// Waits for the next task, timer, frame or DOM change of a page.

/** Resolves after the tasks that are already queued. */
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

/** Resolves after timers that were set with the same delay or less. */
export const timer = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A page in the background renders no frames, so a timeout replaces the frame. */
const FRAME_AT_MOST_MS = 50;

/** Resolves before the next frame is rendered, or after FRAME_AT_MOST_MS. */
export const frame = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = setTimeout(resolve, FRAME_AT_MOST_MS);
    requestAnimationFrame(() => {
      clearTimeout(stop);
      resolve();
    });
  });

/** Whether the page renders a frame within the time. */
export const drawnWithin = (ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = setTimeout(() => resolve(false), ms);
    requestAnimationFrame(() => {
      clearTimeout(stop);
      resolve(true);
    });
  });

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

/** Resolves when the document changes or the time is up. */
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
