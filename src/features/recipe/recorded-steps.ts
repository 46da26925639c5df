// Converts the steps of a recording into the steps of a recipe. Pure.
import { type ByKind, callByKind } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { type RecipeStep, RecipeTarget } from '../../store/recipes/recipe-schema.ts';
import type { Locator, RecordedStep } from '../recording/kept-lines.ts';
import { buildScriptSteps, describeStep } from '../recording/script-steps.ts';
import { formatSecretVariable } from '../recording/script-text.ts';

interface ConvertedRecording {
  readonly steps: readonly RecipeStep[];
  /** Recorded steps that a recipe does not need: actions scroll to their targets by themselves. */
  readonly leftOut: readonly string[];
}

/** Throws for a step that a recipe cannot repeat, because a recipe without it would be wrong. */
export const convertRecordedSteps = (seen: readonly RecordedStep[]): ConvertedRecording => {
  const recorded = buildScriptSteps(seen);
  return {
    steps: recorded.flatMap((step, index) => {
      const converted = convertRecordedStep(step);
      if (typeof converted !== 'string') return converted;
      throw fail(
        'recipe_invalid',
        `Step ${index + 1} of the recording (${describeStep(step)}) cannot become a step: ` +
          `${converted}.`,
        {
          step: index + 1,
          hint: 'Record the task without this step, or write the recipe by hand.',
        },
      );
    }),
    leftOut: recorded.filter((step) => NOT_NEEDED.has(step.kind)).map(describeStep),
  };
};

const NOT_NEEDED: ReadonlySet<RecordedStep['kind']> = new Set(['scroll', 'popup']);

/** The steps; a text is the reason why there are none. */
type Conversion = readonly RecipeStep[] | string;

const convertRecordedStep = (step: RecordedStep): Conversion => callByKind(CONVERSIONS, step);

const navigate = ({ kind }: { readonly kind: string }): Conversion => [
  { call: 'navigate', args: { action: kind } },
];

const CONVERSIONS: ByKind<RecordedStep, [], Conversion> = {
  goto: ({ url }) => [{ open: url }],
  back: navigate,
  forward: navigate,
  reload: navigate,
  arrived: ({ url }) => [{ expect: { url: `${stripQuery(url)}*` } }],
  scroll: () => [],
  popup: () => [],
  dialog: ({ accepted, text }) => [
    { call: 'handle_dialog', args: defined({ accept: accepted, text }) },
  ],
  click: (step) => convertClick(step),
  hover: ({ target }) => [{ action: 'hover', target: toTarget(target) }],
  fill: (step) => [{ action: 'fill', target: toTarget(step.target), value: toValue(step) }],
  select: ({ target, values }) => [
    { action: 'select', target: toTarget(target), value: [...values] },
  ],
  check: ({ target, checked }) => [
    { action: checked ? 'check' : 'uncheck', target: toTarget(target) },
  ],
  press: ({ target, key, modifiers = [] }) => [
    defined({
      action: 'press' as const,
      target: target && toTarget(target),
      value: [...modifiers, key].join('+'),
    }),
  ],
  upload: () => 'a recording has the names of files, not their folders',
  drag: () => 'no kind of step repeats dragging',
};

type RecordedClick = Extract<RecordedStep, { kind: 'click' }>;

const convertClick = (step: RecordedClick): Conversion => {
  const { button, count = 1, modifiers = [], target } = step;
  if (button === 'middle' || count > 2) return 'no kind of step repeats this click';
  const keys = modifiers.length > 0 ? modifiers.join('+') : undefined;
  return [defined({ action: chooseClick(step), target: toTarget(target), value: keys })];
};

const chooseClick = ({
  button,
  count = 1,
}: RecordedClick): 'click' | 'double_click' | 'right_click' => {
  if (button === 'right') return 'right_click';
  return count === 2 ? 'double_click' : 'click';
};

/** Secrets are stored by their name only. */
const toValue = (step: Extract<RecordedStep, { kind: 'fill' }>): string =>
  step.secret ? `\${SECRET:${step.secretName ?? formatSecretVariable(step)}}` : step.value;

/** Without a name, the role is kept so that a run checks the kind of the element. */
const toTarget = ({ role, name, testId, css, facts }: Locator): RecipeTarget => {
  const isOnly = name !== undefined || facts?.row !== undefined;
  const recorded = facts && isOnly ? RecipeTarget.safeParse(facts).data : undefined;
  if (recorded) return recorded;
  if (role !== undefined && name !== undefined)
    return defined({ role, name, testId: testId?.value });
  const selector = testId ? `[${testId.attribute}="${testId.value}"]` : css.at(-1);
  if (selector === undefined)
    throw fail('recipe_invalid', 'A recorded element has neither a name nor a selector.');
  return defined({ role, selector });
};

const stripQuery = (url: string): string => url.replace(/[?#].*$/s, '');
