// Drags one element onto another: native drag and drop by CDP drag events, others by mouse events.
import { fail } from '../../core/failure.ts';
import type { Protocol } from 'devtools-protocol';
import { after } from '../../core/time.ts';
import type { Point } from '../../page/act/act-answers.ts';
import { moveTo, pressAt, releaseAt, sendMouse } from './mouse.ts';
import { perform, type ActionContext } from './perform.ts';
import { reach } from './reach.ts';
import type { Receipt } from '../../core/receipt.ts';
import { type ActionTarget, describeTarget } from './elements.ts';
import { makeVisible } from '../tabs/shown-page.ts';

type DragData = Protocol.Input.DragData;

/** Number of mouse moves. Each one is handled in its own frame, which drag libraries need. */
const STEPS = 5;
/** How long Chrome may take to report a native drag after the first mouse moves. */
const BEGIN_MS = 150;

export const drag = async (
  context: ActionContext,
  source: ActionTarget,
  destination: ActionTarget,
): Promise<Receipt> => {
  const { tab, signal, reachMs } = context;
  const options = { needs: { pointer: true as const }, patienceMs: reachMs };
  // Reach the destination first, so that the source is in view at the time of the press.
  const end = await reach(tab, destination, options, signal);
  return perform(context, {
    did: 'dragged',
    target: source,
    needs: { needs: { pointer: true, enabled: true } },
    input: async ({ point }) => {
      const to = await reachDestination(context, destination, point);
      await dragBetween(context, point, to);
    },
    settling: 'frame',
    remark: `to ${end.target.ref} ${end.target.role} ${JSON.stringify(end.target.name)}`,
  });
};

/** Returns the point of the destination after the source was scrolled into view. */
const reachDestination = async (
  { tab, signal }: ActionContext,
  destination: ActionTarget,
  from: Point,
): Promise<Point> => {
  const again = await reach(
    tab,
    destination,
    { needs: { pointer: true }, patienceMs: 0, within: -1 },
    signal,
  );
  if (again.ready.scrolled)
    throw fail(
      'target_hidden',
      `${describeTarget(destination)} and the dragged element (at ` +
        `${Math.round(from.x)},${Math.round(from.y)}) are not in view at the same time.`,
      {
        situation: 'not_in_view_together',
      },
    );
  return again.point;
};

const between = (from: Point, to: Point, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

/** A point 8 px from the start: the movement that makes a press a drag. */
const nudge = (from: Point, to: Point): Point => {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return between(from, to, Math.min(1, 8 / length));
};

const dragBetween = async (context: ActionContext, from: Point, to: Point): Promise<void> => {
  const { tab, signal } = context;
  const { cdp } = tab;
  await Promise.all([
    cdp.send('Input.setInterceptDrags', { enabled: true }, signal),
    makeVisible(tab, signal),
  ]);
  try {
    const waiting = new AbortController();
    const intercepted = cdp
      .next('Input.dragIntercepted', AbortSignal.any([signal, waiting.signal]))
      .then(
        ({ data }) => data,
        () => undefined,
      );
    await sendMouse(cdp, [moveTo(from), pressAt(from)], signal);
    await sendMouse(cdp, [moveTo(nudge(from, to), 'left')], signal);
    await sendMouse(cdp, [moveTo(between(from, to, 0.2), 'left')], signal);
    using _ = after(BEGIN_MS, () => waiting.abort());
    const data = await intercepted;
    await (data ? dropNatively(context, data, to) : followPointer(context, from, to));
  } finally {
    await cdp.send('Input.setInterceptDrags', { enabled: false }, signal).catch(() => {});
  }
};

const dropNatively = async (
  { tab, signal }: ActionContext,
  data: DragData,
  to: Point,
): Promise<void> => {
  const at = (type: 'dragEnter' | 'dragOver' | 'drop'): Promise<unknown> =>
    tab.cdp.send('Input.dispatchDragEvent', { type, ...to, data }, signal);
  await at('dragEnter');
  await at('dragOver');
  await at('drop');
  await sendMouse(tab.cdp, [releaseAt(to)], signal);
};

const followPointer = async (
  { tab, signal }: ActionContext,
  from: Point,
  to: Point,
): Promise<void> => {
  for (let step = 1; step <= STEPS; step++)
    await sendMouse(tab.cdp, [moveTo(between(from, to, step / STEPS), 'left')], signal);
  await sendMouse(tab.cdp, [moveTo(to, 'left'), releaseAt(to)], signal);
};
