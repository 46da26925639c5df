// Scrolls the page, a container, or an element into view with wheel events; reports the distance.
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import { monotonicMs } from '../../core/time.ts';
import type { Point, Scrolled } from '../../page/act/act-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { moveTo, sendMouse, wheel } from './mouse.ts';
import { perform, refuseUnderDialog, type ActionContext } from './perform.ts';
import { reach } from './reach.ts';
import type { TargetName, Receipt } from '../../core/receipt.ts';
import type { ActionTarget } from './elements.ts';
import { makeVisible } from '../tabs/shown-page.ts';
import { inPage } from '../tabs/in-page.ts';

type Axis = 'x' | 'y';

const textShown = (frame: Frame, text: string, signal: AbortSignal): Promise<boolean> =>
  frame.call(inPage.more.isTextShown, [text], signal);

interface Way {
  readonly word: string;
  readonly axis: Axis;
  readonly sign: 1 | -1;
  /** Scroll to the end; otherwise by `pixels`, or by 85 % of the visible area. */
  readonly end: boolean;
  readonly pixels?: number;
}

const WAYS: Readonly<Record<string, Omit<Way, 'word' | 'pixels'>>> = {
  down: { axis: 'y', sign: 1, end: false },
  up: { axis: 'y', sign: -1, end: false },
  right: { axis: 'x', sign: 1, end: false },
  left: { axis: 'x', sign: -1, end: false },
  bottom: { axis: 'y', sign: 1, end: true },
  top: { axis: 'y', sign: -1, end: true },
};

/** Parses "down", "up 300", "bottom", or a number of pixels downwards. */
const parseWay = (value: string): Way => {
  const [, word = 'down', pixels] =
    /^(?:(up|down|left|right|top|bottom)\b)?\s{0,9}(-?\d{1,9})?\s{0,9}(?:px)?$/i.exec(
      value.trim(),
    ) ?? [undefined, ''];
  const way = WAYS[word.toLowerCase()];
  if (!way)
    throw fail(
      'invalid_argument',
      `"${value.slice(0, 50)}" is not a scroll direction: use up, down, left, right (with ` +
        `pixels), top, bottom, or until TEXT.`,
      { argument: 'value' },
    );
  const given = ifDefined(pixels, Number);
  const sign = given !== undefined && given < 0 ? (-way.sign as 1 | -1) : way.sign;
  return defined({
    word: word.toLowerCase(),
    ...way,
    sign,
    pixels: ifDefined(given, Math.abs),
  });
};

interface Scroller {
  readonly frame: Frame;
  readonly id?: number;
  readonly at: Point;
  readonly name?: TargetName;
}

/** How long scrolling may take to start, and to end. */
const START_MS = 150;
const REST_MS = 4000;
const FAR = 1_000_000;
const MAX_TURNS = 100;

export const scroll = (
  context: ActionContext,
  target: ActionTarget | undefined,
  value: string | undefined,
): Promise<Receipt> => {
  if (value === undefined && target) return intoView(context, target);
  const until = ifDefined(value, (value) => /^until\s+(.+)$/is.exec(value)?.[1]);
  return until === undefined
    ? byWheel(context, target, parseWay(value ?? 'down'))
    : untilText(context, target, until);
};

const intoView = (context: ActionContext, target: ActionTarget): Promise<Receipt> =>
  perform(context, {
    did: 'scrolled to',
    target,
    needs: { needs: {} },
    already: ({ ready }) => !ready.scrolled,
    input: async () => {},
    settling: 'frame',
    verify: () => {},
  });

const middleOfPage = async ({ tab, signal }: ActionContext): Promise<Point> => {
  const { width, height } = await tab.frames.main.call(
    inPage.more.scrollPosition,
    [undefined, 'y'],
    signal,
  );
  return { x: width / 2, y: height / 2 };
};

const findScroller = async (
  context: ActionContext,
  target: ActionTarget | undefined,
): Promise<Scroller> => {
  const { tab, signal, reachMs } = context;
  if (!target) return { frame: tab.frames.main, at: await middleOfPage(context) };
  const {
    frame,
    ready,
    point,
    target: name,
  } = await reach(tab, target, { needs: { pointer: true }, patienceMs: reachMs }, signal);
  return { frame, id: ready.element.id, at: point, name };
};

interface Turn {
  readonly from: Scrolled;
  readonly to: Scrolled;
}

/** Sends one wheel event and waits until scrolling ends. */
const turn = async (
  { tab, signal }: ActionContext,
  { frame, id, at }: Scroller,
  { axis, sign, end, pixels }: Way,
): Promise<Turn> => {
  const from = await frame.call(inPage.more.scrollPosition, [id, axis], signal);
  const most = 0.85 * (axis === 'y' ? from.height : from.width);
  const delta = sign * (end ? FAR : (pixels ?? most));
  await makeVisible(tab, signal);
  await sendMouse(tab.cdp, [moveTo(at)], signal);
  await wheel(tab.cdp, at, axis === 'x' ? delta : 0, axis === 'y' ? delta : 0, signal);
  const to = await frame.call(
    inPage.more.scrollRest,
    [id, axis, { x: from.x, y: from.y }, START_MS, REST_MS],
    signal,
  );
  return { from, to };
};

const measureDistance = ({ from, to }: Turn, axis: Axis): number => to[axis] - from[axis];

const formatPosition = (to: Scrolled, axis: Axis): string =>
  `${axis} ${to[axis]} of ${axis === 'y' ? to.maxY : to.maxX}`;

const byWheel = async (
  context: ActionContext,
  target: ActionTarget | undefined,
  way: Way,
): Promise<Receipt> => {
  refuseUnderDialog(context.tab);
  const startedAt = monotonicMs();
  const scroller = await findScroller(context, target);
  const gone = await turn(context, scroller, way);
  const distance = measureDistance(gone, way.axis);
  const max = way.axis === 'y' ? gone.to.maxY : gone.to.maxX;
  const atEnd = way.sign > 0 ? gone.to[way.axis] >= max : gone.to[way.axis] <= 0;
  const remark = `${formatPosition(gone.to, way.axis)}${textIf(atEnd, ' (the end)')}`;
  return defined({
    did: distance === 0 ? 'did not scroll' : `scrolled ${way.word} ${Math.abs(distance)} px`,
    target: scroller.name,
    effects: {},
    waitedMs: monotonicMs() - startedAt,
    sure: true,
    remark,
  });
};

/** Maximum number of wheel events without movement before the end of the page. */
const MAX_STUCK = 3;

/** Waits once for a list that loads more content at its end. Returns whether it became longer. */
const grows = async (
  { patience, signal }: ActionContext,
  { frame, id }: Scroller,
  { maxY }: Scrolled,
): Promise<boolean> => {
  await frame.call(inPage.more.waitForChange, [patience.settleMs], signal);
  return (await frame.call(inPage.more.scrollPosition, [id, 'y'], signal)).maxY > maxY;
};

/**
 * Scrolls down until the text is visible, or until the end is reached and no more content loads.
 */
const untilText = async (
  context: ActionContext,
  target: ActionTarget | undefined,
  text: string,
): Promise<Receipt> => {
  const { tab, signal } = context;
  refuseUnderDialog(tab);
  const startedAt = monotonicMs();
  const scroller = await findScroller(context, target);
  const way: Way = { word: 'down', axis: 'y', sign: 1, end: false };
  let distance = 0;
  let stuck = 0;
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    if (await textShown(scroller.frame, text, signal)) {
      return {
        did: `scrolled ${distance} px until ${JSON.stringify(text)} was visible`,
        effects: {},
        waitedMs: monotonicMs() - startedAt,
        sure: true,
      };
    }
    const gone = await turn(context, scroller, way);
    distance += measureDistance(gone, 'y');
    stuck = measureDistance(gone, 'y') === 0 ? stuck + 1 : 0;
    if (
      stuck > MAX_STUCK ||
      (stuck > 0 && gone.to.y >= gone.to.maxY - 1 && !(await grows(context, scroller, gone.to)))
    )
      break;
  }
  throw fail(
    'element_not_found',
    `${JSON.stringify(text.slice(0, 100))} was not found after scrolling ${distance} px to the ` +
      `end.`,
  );
};
