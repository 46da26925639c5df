// Acts at page coordinates, and reports the element that was hit and the nearest interactive one.
import { fail } from '../../core/failure.ts';
import { monotonicMs } from '../../core/time.ts';
import type { AtPoint, Point } from '../../page/act/act-answers.ts';
import { findFrameOwner } from '../read/frame-owners.ts';
import type { Frame } from '../tabs/frames.ts';
import { buildTargetName, formatTargetName } from './elements.ts';
import { getHeldInput } from './keyboard.ts';
import { clickEvents, moveTo, type Press, pressAt, releaseAt, sendMouse, wheel } from './mouse.ts';
import { TabActivity } from './tab-activity.ts';
import {
  type ActionContext,
  beforeAnything,
  refuseUnderDialog,
  trackActing,
  untilInterrupted,
} from './perform.ts';
import type { Receipt } from '../../core/receipt.ts';
import { EffectWait } from './settle.ts';
import { makeVisible } from '../tabs/shown-page.ts';
import { inPage } from '../tabs/in-page.ts';

/** Sends input at a point and waits for its effects. */
const pointAt = async (
  context: ActionContext,
  did: string,
  point: Point,
  input: (hit: AtPoint) => Promise<void>,
): Promise<Receipt> => {
  const { tab, patience } = context;
  refuseUnderDialog(tab);
  const { main } = tab.frames;
  const hits = await beforeAnything(context, (signal) => hitsAt(main, point, signal));
  const hit = hits[0] as FrameHit;
  if (point.x < 0 || point.y < 0 || point.x >= hit.width || point.y >= hit.height)
    throw fail(
      'invalid_argument',
      `${point.x},${point.y} is outside the page's ${hit.width}x${hit.height} viewport.`,
      {
        argument: 'coordinate',
      },
    );
  tab.events.emit('aimed', { did, point });
  using activity = new TabActivity(tab);
  const effects = await trackActing(context, async (signal) => {
    const effectWait = new EffectWait(tab, activity, hits.toReversed(), patience, signal);
    await makeVisible(tab, signal);
    await untilInterrupted(context, () => input(hit));
    await effectWait.look('frame');
    await effectWait.rest();
    effectWait.end();
    return effectWait.effects();
  });
  return {
    did: `${did} ${describeHit(context, hits.at(-1) ?? hit)}`,
    effects,
    waitedMs: monotonicMs() - activity.startedAt,
  };
};

interface FrameHit extends AtPoint {
  readonly frame: Frame;
}

/** Returns the element at the point in each frame that contains the point, main frame first. */
const hitsAt = async (frame: Frame, point: Point, signal: AbortSignal): Promise<FrameHit[]> => {
  const hit = await frame.call(inPage.more.atPoint, [point], signal);
  const { met, inner } = hit;
  if (!met || !inner) return [{ ...hit, frame }];
  for (const child of frame.children) {
    if ((await findFrameOwner(child, frame, signal)) === met.id)
      return [{ ...hit, frame }, ...(await hitsAt(child, inner, signal))];
  }
  return [{ ...hit, frame }];
};

const describeHit = ({ tab }: ActionContext, { frame, met, near, inside }: FrameHit): string => {
  if (near && inside) return formatTargetName(buildTargetName(tab, frame, near));
  const what = met ? formatTargetName(buildTargetName(tab, frame, met)) : 'nothing';
  return near ? `${what} (nearest: ${formatTargetName(buildTargetName(tab, frame, near))})` : what;
};

export const clickAt = (
  context: ActionContext,
  did: string,
  point: Point,
  press: Press,
): Promise<Receipt> =>
  pointAt(context, did, point, () =>
    sendMouse(context.tab.cdp, clickEvents(point, press), context.signal),
  );

export const moveToPoint = (context: ActionContext, point: Point): Promise<Receipt> =>
  pointAt(context, 'moved to', point, () =>
    sendMouse(context.tab.cdp, [moveTo(point)], context.signal),
  );

/** Presses the left mouse button, which stays down until `releaseMouse`. */
export const holdMouse = (context: ActionContext, point: Point): Promise<Receipt> =>
  pointAt(context, 'pressed the mouse on', point, async () => {
    const { cdp } = context.tab;
    await sendMouse(cdp, [moveTo(point), pressAt(point)], context.signal);
    getHeldInput(cdp).isPressed = true;
  });

export const releaseMouse = (context: ActionContext, point: Point): Promise<Receipt> =>
  pointAt(context, 'released the mouse on', point, async () => {
    const { cdp } = context.tab;
    await sendMouse(cdp, [moveTo(point)], context.signal);
    getHeldInput(cdp).isPressed = false;
    await sendMouse(cdp, [releaseAt(point)], context.signal);
  });

/** The last position of the mouse; undefined if it was not moved yet. */
export const findMousePosition = ({ tab }: ActionContext): Point | undefined =>
  getHeldInput(tab.cdp).at;

export const scrollAt = (
  context: ActionContext,
  point: Point,
  deltaX: number,
  deltaY: number,
): Promise<Receipt> =>
  pointAt(context, 'scrolled over', point, async ({ met }) => {
    const { tab, signal } = context;
    const axis = deltaX === 0 ? 'y' : 'x';
    const from = await tab.frames.main.call(inPage.more.scrollPosition, [met?.id, axis], signal);
    await sendMouse(tab.cdp, [moveTo(point)], signal);
    await wheel(tab.cdp, point, deltaX, deltaY, signal);
    await tab.frames.main.call(
      inPage.more.scrollRest,
      [met?.id, axis, { x: from.x, y: from.y }, START_MS, REST_MS],
      signal,
    );
  });

/** How long scrolling may take to start, and to end. */
const START_MS = 150;
const REST_MS = 4000;

const STEPS = 6;

export const dragFromTo = (context: ActionContext, from: Point, to: Point): Promise<Receipt> =>
  pointAt(context, 'dragged from', from, async () => {
    const { tab, signal } = context;
    await sendMouse(tab.cdp, [moveTo(from), pressAt(from)], signal);
    for (let step = 1; step <= STEPS; step++) {
      const share = step / STEPS;
      await sendMouse(
        tab.cdp,
        [
          moveTo(
            { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share },
            'left',
          ),
        ],
        signal,
      );
    }
    await sendMouse(tab.cdp, [releaseAt(to)], signal);
  });
