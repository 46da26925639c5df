// Waits for the next task, timer, frame or DOM change of a page, and for finite animations.
import { isElement, type Root, rootElement } from '../safe-dom.ts';
import { isInside } from '../shadow.ts';

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

/** A page that is not drawn renders no frames, so a timeout replaces the frame. */
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

/**
 * Resolves after all animation callbacks of the current frame, before the frame is painted. Outside
 * of a frame, or if the page has no size, resolves after the next task.
 */
export const frameScriptsEnd = (): Promise<void> =>
  new Promise((resolve) => {
    const observer = new ResizeObserver(() => end());
    const end = (): void => {
      observer.disconnect();
      resolve();
    };
    const root = rootElement(document);
    if (root) observer.observe(root);
    void task().then(end);
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

// Waits for the finite animations that an action started and that change the page's content.

/** Longer animations (countdowns, slow decorations) are ignored. */
const MAX_REMAINING_MS = 1000;

/** Chrome may date the start of an animation back to the frame before the one that shows it. */
const START_TOLERANCE_MS = 20;

/** How long to wait for the removal of an element that has faded out. */
const REMOVAL_MS = 100;

/** Decorative properties; hovering or pressing changes them on nearly every page. */
const DECORATION = new RegExp(
  'color|background|shadow|outline|border|^fill$|stroke|filter|cursor|text-decoration|' +
    'letter-spacing|^font',
  'i',
);
const KEYFRAME_FACTS = new Set(['offset', 'computedOffset', 'easing', 'composite']);

const readProperties = (animation: Animation, effect: KeyframeEffect): string[] => {
  if (animation instanceof CSSTransition) return [animation.transitionProperty];
  const names = effect.getKeyframes().flatMap((keyframe) => Object.keys(keyframe));
  return [...new Set(names)].filter((name) => !KEYFRAME_FACTS.has(name));
};

const remainingMs = (animation: Animation, effect: KeyframeEffect): number => {
  const rate = Math.abs(animation.playbackRate) || 1;
  return (Number(effect.getComputedTiming().endTime) - Number(animation.currentTime ?? 0)) / rate;
};

/**
 * Whether the action on `target` started this animation. Ignores animations inside the target
 * (ripples) and `transform` on the target itself.
 */
const isEffect = (
  animation: Animation,
  target: Element | undefined,
  since: number,
): animation is Animation & { effect: KeyframeEffect } => {
  const { effect, timeline, playState, startTime } = animation;
  if (
    playState !== 'running' ||
    timeline !== document.timeline ||
    !(effect instanceof KeyframeEffect)
  )
    return false;
  if (startTime !== null && Number(startTime) < since - START_TOLERANCE_MS) return false;
  if (remainingMs(animation, effect) > MAX_REMAINING_MS) return false;
  const animated = effect.target;
  if (!animated) return false;
  const properties = readProperties(animation, effect).filter((name) => !DECORATION.test(name));
  if (target && animated !== target && isInside(animated, target)) return false;
  return properties.some((name) => animated !== target || name !== 'transform');
};

const isFadedOut = ({ effect }: { readonly effect: KeyframeEffect }): boolean =>
  isElement(effect.target as Node) &&
  effect.target?.isConnected === true &&
  getComputedStyle(effect.target).opacity === '0';

/**
 * Waits for the animations in these trees, at most `maxMs`. Returns whether there were any. `since`
 * is a time of the document's timeline.
 */
export const transitionsEnd = async (
  trees: Iterable<Root>,
  target: Element | undefined,
  since: number,
  maxMs: number,
): Promise<boolean> => {
  const running = [...trees]
    .flatMap((tree) => tree.getAnimations())
    .filter((animation) => isEffect(animation, target, since));
  if (running.length === 0) return false;
  // `finished` rejects if an animation is cancelled
  const ends = Promise.all(running.map(({ finished }) => finished.catch(() => {})));
  let stop: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([ends, new Promise((resolve) => (stop = setTimeout(resolve, maxMs)))]);
  clearTimeout(stop);
  if (running.some(isFadedOut)) await change(Math.min(REMOVAL_MS, maxMs));
  return true;
};
