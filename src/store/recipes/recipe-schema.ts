// The format of a recipe file: parameters and steps.
import { z } from 'zod';
import { EffectKinds } from '../../core/effect-kinds.ts';

const text = z.string().max(10_000);

/** YAML has numbers and true or false without quotes. */
const scalar = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  text,
);

/**
 * How an element is found again: by its role and name first, by its position never. The other
 * facts select among several, find a renamed one, or show that the name belongs to another now.
 */
export const RecipeTarget = z.strictObject({
  role: text.optional(),
  name: text.optional(),
  label: text.optional(),
  testId: text.optional(),
  /** Attributes that no other element of the role had: id, name, href … */
  attributes: z.record(z.string(), text).optional(),
  /** All other words of the same row, card or list item. */
  row: text.optional(),
  /** The heading, dialogs and landmarks around it, innermost first. */
  within: z.array(text).max(20).optional(),
  /** The names of the neighbouring elements of the role in their order, with its own. */
  order: z.array(text).max(20).optional(),
  /** Words of the same row, card or list item. */
  near: text.optional(),
  /** Used only without a name. */
  selector: text.optional(),
});
export type RecipeTarget = z.output<typeof RecipeTarget>;

const RECIPE_ACTIONS = [
  'click',
  'double_click',
  'right_click',
  'hover',
  'fill',
  'type',
  'select',
  'check',
  'uncheck',
  'press',
  'upload',
  'clear',
  'focus',
  'scroll',
] as const;

const Facts = z.record(z.string(), z.unknown());

const texts = z.record(z.string(), scalar);

const RecipeRequest = z.strictObject({
  method: z.string().max(20).default('GET'),
  url: text,
  query: texts.optional(),
  headers: texts.optional(),
  /** At most one of these is the body. */
  json: z.unknown().optional(),
  form: texts.optional(),
  body: z.string().max(1_000_000).optional(),
  /** The status of the recorded response. */
  status: z.number().int().optional(),
});
export type RecipeRequest = z.output<typeof RecipeRequest>;

/** The kinds of steps by the key that each of them has. */
export const STEP_KINDS = {
  open: z.strictObject({ open: text, expect: Facts.optional() }),
  action: z.strictObject({
    action: z.enum(RECIPE_ACTIONS),
    target: RecipeTarget.optional(),
    value: z.union([z.array(scalar), scalar]).optional(),
    /** Effects of the recorded action that a run must repeat. */
    receipt: EffectKinds.optional(),
    expect: Facts.optional(),
  }),
  wait: z.strictObject({ wait: Facts }),
  request: z.strictObject({ request: RecipeRequest }),
  /** A call of a tool that recipes may repeat; its trait `recipe` is `call`. */
  call: z.strictObject({ call: text, args: Facts.default({}) }),
  expect: z.strictObject({ expect: Facts }),
};
export type StepKind = keyof typeof STEP_KINDS;

export const RecipeStep = z.union([
  STEP_KINDS.open,
  STEP_KINDS.action,
  STEP_KINDS.wait,
  STEP_KINDS.request,
  STEP_KINDS.call,
  STEP_KINDS.expect,
]);
export type RecipeStep = z.output<typeof RecipeStep>;

const ParamValue = z.union([z.string(), z.number(), z.boolean()]);

const RecipeParam = z.strictObject({
  type: z.enum(['string', 'number', 'boolean']).default('string'),
  default: ParamValue.optional(),
  /** The only allowed values. */
  values: z.array(ParamValue).min(1).max(100).optional(),
  description: text.optional(),
});

export const Recipe = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'use a-z, 0-9 and "-"'),
  site: z
    .string()
    .max(253)
    .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, 'use a host name'),
  description: text.optional(),
  params: z.record(z.string().regex(/^\w{1,64}$/), RecipeParam).default({}),
  steps: z.array(RecipeStep).min(1).max(500),
});
export type Recipe = z.output<typeof Recipe>;
