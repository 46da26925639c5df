// computer: acts at coordinates, for targets without an element, and reports the element hit.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { interact } from '../../browser/act/interact.ts';
import { clickAt, dragFromTo, moveToPoint, scrollAt } from '../../browser/act/pointing.ts';
import { type Receipt, hasNoEffect } from '../../browser/act/receipt.ts';
import type { ActionContext } from '../../browser/act/perform.ts';
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
    'type',
    'key',
    'scroll',
    'screenshot',
  ]),
  coordinate: coordinate.optional().describe('[x, y]'),
  end_coordinate: coordinate.optional().describe('Where a drag ends'),
  text: z.string().max(100_000).optional().describe('To type, or keys: "Control+A", "Tab Enter"'),
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

const DOES: Readonly<Record<Exclude<ComputerInput['action'], 'screenshot'>, Do>> = {
  left_click: (context, given) =>
    clickAt(context, 'clicked', requirePoint(given, 'coordinate'), {}),
  right_click: (context, given) =>
    clickAt(context, 'right-clicked', requirePoint(given, 'coordinate'), { button: 'right' }),
  middle_click: (context, given) =>
    clickAt(context, 'middle-clicked', requirePoint(given, 'coordinate'), { button: 'middle' }),
  double_click: (context, given) =>
    clickAt(context, 'double-clicked', requirePoint(given, 'coordinate'), { count: 2 }),
  triple_click: (context, given) =>
    clickAt(context, 'triple-clicked', requirePoint(given, 'coordinate'), { count: 3 }),
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
    'Act at coordinates, in CSS pixels of the viewport: for canvases and maps. Reports the ' +
    'element hit and the nearest interactive one; with a ref, interact is safer and waits for it.',
  keywords: 'mouse coordinates pixel canvas keyboard click',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'tab',
    observation: ({ action }) => action === 'screenshot',
    noEffect: hasNoEffect,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: ({ action }) => action !== 'screenshot',
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
