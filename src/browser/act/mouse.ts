// Sends real mouse events over CDP, in viewport coordinates of the page.
import type { Protocol } from 'devtools-protocol';
import { defined } from '../../core/defined.ts';
import type { Point } from '../../page/act/act-answers.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { getHeldInput, type HeldInput, modifierBits, readHeldBits } from './keyboard.ts';
import type { Modifier } from './keys.ts';

export type MouseButton = 'left' | 'right' | 'middle';
type MouseEvent = Protocol.Input.DispatchMouseEventRequest;

const HELD_LEFT = { button: 'left', buttons: 1 } as const;
const HELD: Readonly<Record<MouseButton, number>> = { left: 1, right: 2, middle: 4 };

export interface Press {
  readonly button?: MouseButton;
  /** 2: a double click, 3: a triple click. */
  readonly count?: number;
  readonly modifiers?: readonly Modifier[];
}

export const moveTo = ({ x, y }: Point, held?: MouseButton): MouseEvent =>
  defined({
    type: 'mouseMoved',
    x,
    y,
    button: held,
    buttons: held ? HELD[held] : undefined,
  });

export const pressAt = (
  { x, y }: Point,
  { button = 'left', modifiers = [] }: Press = {},
  clickCount = 1,
): MouseEvent => ({
  type: 'mousePressed',
  x,
  y,
  button,
  buttons: HELD[button],
  clickCount,
  modifiers: modifierBits(modifiers),
});

export const releaseAt = (
  { x, y }: Point,
  { button = 'left', modifiers = [] }: Press = {},
  clickCount = 1,
): MouseEvent => ({
  type: 'mouseReleased',
  x,
  y,
  button,
  buttons: 0,
  clickCount,
  modifiers: modifierBits(modifiers),
});

/** A mouse move, then `count` presses and releases. */
export const clickEvents = (point: Point, press: Press = {}): MouseEvent[] => {
  const events: MouseEvent[] = [moveTo(point)];
  for (let count = 1; count <= (press.count ?? 1); count++)
    events.push(pressAt(point, press, count), releaseAt(point, press, count));
  return events;
};

/**
 * Sends the events without waiting in between, because Chrome keeps their order. Resolves when the
 * page has handled the last event.
 */
export const sendMouse = async (
  session: CdpSession,
  events: readonly MouseEvent[],
  signal: AbortSignal,
): Promise<void> => {
  const held = getHeldInput(session);
  const bits = readHeldBits(session);
  const last = events.at(-1);
  if (last) held.at = { x: last.x, y: last.y };
  await Promise.all(
    events.map((event) =>
      session.send('Input.dispatchMouseEvent', addHeldInput(event, held, bits), signal),
    ),
  );
};

/** Adds the modifiers and, to a move, the button that the caller holds down. */
const addHeldInput = (event: MouseEvent, { isPressed }: HeldInput, bits: number): MouseEvent => {
  const held = isPressed && event.type === 'mouseMoved' ? HELD_LEFT : {};
  return { ...event, ...held, modifiers: (event.modifiers ?? 0) | bits };
};

export const wheel = (
  session: CdpSession,
  { x, y }: Point,
  deltaX: number,
  deltaY: number,
  signal: AbortSignal,
): Promise<unknown> =>
  session.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY }, signal);
