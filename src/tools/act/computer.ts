// computer: acts at coordinates, for targets without an element, and reports the element hit.
import { z } from 'zod';
import { ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { holdKeys, releaseKeys } from '../../browser/act/keyboard.ts';
import { parseChord, parseModifiers } from '../../browser/act/keys.ts';
import type { Press } from '../../browser/act/mouse.ts';
import { interact } from '../../browser/act/interact.ts';
import {
  clickAt,
  dragFromTo,
  findMousePosition,
  holdMouse,
  moveToPoint,
  releaseMouse,
  scrollAt,
} from '../../browser/act/pointing.ts';
import { type Receipt, hasNoEffect } from '../../core/receipt.ts';
import { type ActionContext, performOnPage } from '../../browser/act/perform.ts';
import { captureScreenshot } from '../../browser/tabs/screenshot.ts';
import { renderReceipt } from '../../render/receipt.ts';
import { ACT_FIELDS, createActionContext } from '../../toolkit/acting-context.ts';
import { renderScreenshot } from '../../render/screenshot.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs } from '../../toolkit/tool-description.ts';

const coordinate = z.array(z.number()).length(2);

const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;

const input = () => ({
  action: z.enum([
    'left_click',
    'right_click',
    'middle_click',
    'double_click',
    'triple_click',
    'mouse_move',
    'left_click_drag',
    'left_mouse_down',
    'left_mouse_up',
    'type',
    'key',
    'key_down',
    'key_up',
    'scroll',
    'screenshot',
  ]),
  coordinate: coordinate.optional().describe('[x, y]'),
  end_coordinate: coordinate.optional(),
  text: markListedAs(
    z
      .string()
      .max(100_000)
      .optional()
      .describe('To type; keys: "Control+A", "Tab Enter"; click: "Shift"'),
    { type: 'string', description: 'Text, or keys as in interact' },
  ),
  scroll_direction: markListedAs(z.enum(DIRECTIONS).default('down'), {
    type: 'string',
    enum: DIRECTIONS,
  }),
  scroll_amount: markListedAs(
    z.number().int().min(1).max(100).default(3).describe('Wheel clicks of 100 px'),
    {
      type: 'integer',
      description: 'Times 100 px',
    },
  ),
  ...ACT_FIELDS,
});

type ComputerInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

interface At {
  readonly x: number;
  readonly y: number;
}

const requirePoint = (given: ComputerInput, name: 'coordinate' | 'end_coordinate'): At => {
  const [x, y] = given[name] ?? [];
  if (x === undefined || y === undefined)
    throw fail('invalid_argument', `computer {action: "${given.action}"} needs "${name}".`, {
      argument: name,
    });
  return { x, y };
};

const requireText = ({ action, text }: ComputerInput): string => {
  if (text === undefined)
    throw fail('invalid_argument', `computer {action: "${action}"} needs "text".`, {
      argument: 'text',
    });
  return text;
};

const WHEEL_PX = 100;
const DELTAS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

type Do = (context: ActionContext, given: ComputerInput) => Promise<Receipt>;

/** A click with the modifiers that `text` names. */
const clickWith =
  (did: string, press: Press): Do =>
  (context, given) => {
    const { text = '' } = given;
    const withKeys = text === '' ? press : { ...press, modifiers: parseModifiers(text) };
    return clickAt(context, did, requirePoint(given, 'coordinate'), withKeys);
  };

/** The given point, or the last position of the mouse. */
const pointOrLast = (context: ActionContext, given: ComputerInput): At =>
  given.coordinate ? requirePoint(given, 'coordinate') : requireLastPoint(context, given);

const requireLastPoint = (context: ActionContext, given: ComputerInput): At =>
  findMousePosition(context) ?? requirePoint(given, 'coordinate');

const DOES: Readonly<Record<Exclude<ComputerInput['action'], 'screenshot'>, Do>> = {
  left_click: clickWith('clicked', {}),
  right_click: clickWith('right-clicked', { button: 'right' }),
  middle_click: clickWith('middle-clicked', { button: 'middle' }),
  double_click: clickWith('double-clicked', { count: 2 }),
  triple_click: clickWith('triple-clicked', { count: 3 }),
  left_mouse_down: (context, given) => holdMouse(context, pointOrLast(context, given)),
  left_mouse_up: (context, given) => releaseMouse(context, pointOrLast(context, given)),
  key_down: (context, given) => {
    const chord = parseChord(requireText(given));
    const { tab, signal } = context;
    return performOnPage(context, `holding ${given.text}`, () => holdKeys(tab.cdp, chord, signal));
  },
  key_up: (context, { text }) => {
    const { tab, signal } = context;
    const chord = ifDefined(text, (keys) => parseChord(keys));
    return performOnPage(context, `released ${text ?? 'all keys'}`, async () => {
      await releaseKeys(tab.cdp, chord, signal);
    });
  },
  mouse_move: (context, given) => moveToPoint(context, requirePoint(given, 'coordinate')),
  left_click_drag: (context, given) =>
    dragFromTo(context, requirePoint(given, 'coordinate'), requirePoint(given, 'end_coordinate')),
  type: (context, given) => interact(context, { action: 'type', value: requireText(given) }),
  key: (context, given) => interact(context, { action: 'press', value: requireText(given) }),
  scroll: (context, given) => {
    const [x, y] = DELTAS[given.scroll_direction];
    const pixels = given.scroll_amount * WHEEL_PX;
    return scrollAt(context, requirePoint(given, 'coordinate'), x * pixels, y * pixels);
  },
};

export const computer = defineTool({
  name: 'computer',
  description:
    'Act at coordinates (CSS pixels of the viewport): for canvases and maps. Else interact.',
  returns: '{receipt: {did, target?, effects}, url}',
  keywords: 'mouse coordinates pixel canvas keyboard click hold key down up button modifier shift',
  tier: 1,
  traits: {
    effect: 'act',
    recipe: ({ action }) =>
      action === 'screenshot' ? 'skip' : { refused: 'coordinates do not identify an element' },
    scope: 'tab',
    observation: ({ action }) => action === 'screenshot',
    noEffect: hasNoEffect,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: ({ action }) => action !== 'screenshot',
    rejectsPdf: 'undrawn',
    timeoutMs: 15_000,
  },
  input,
  examples: [{ action: 'left_click', coordinate: [120, 300] }, { action: 'screenshot' }],
  run: async (given, context) => {
    const { tab, signal } = context;
    if (given.action === 'screenshot')
      return { picture: await captureScreenshot(tab, { format: 'png' }, signal) };
    return {
      receipt: await DOES[given.action](createActionContext(context, given), given),
      url: tab.url,
    };
  },
  render: ({ picture, receipt, url }) => {
    if (receipt) return renderReceipt(receipt, url);
    return renderScreenshot(picture);
  },
});
