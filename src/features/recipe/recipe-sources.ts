// Creates recipes from the steps of a recording, the calls of a task, or a request. Pure.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { getField, isRecord, isUnknownArray } from '../../core/json.ts';
import { parseUrl } from '../../core/text.ts';
import { type Recipe, RecipeStep, type RecipeTarget } from '../../store/recipes/recipe-schema.ts';
import type { Locator, RecordedStep } from '../recording/kept-lines.ts';
import { buildScriptSteps } from '../recording/script-steps.ts';
import { formatSecretVariable } from '../recording/script-text.ts';

export const buildRecipe = (name: string, steps: readonly RecipeStep[]): Recipe => {
  if (steps.length === 0)
    throw fail('recipe_invalid', 'The source has no step that a recipe can repeat.', {
      hint: 'Record at least one navigation or action.',
    });
  const first = steps.map(findAddress).find((url) => url !== undefined);
  const host = parseUrl(first ?? '')?.hostname ?? '';
  const site = host.replaceAll(/[^a-zA-Z0-9.-]/g, '-') || 'any';
  return { name, site, params: {}, steps: [...steps] };
};

const findAddress = (step: RecipeStep): string | undefined => {
  if ('open' in step) return step.open;
  return 'request' in step ? step.request.url : undefined;
};

/** Steps of a recording; those that a recipe cannot repeat (scrolling, popups) are left out. */
export const convertRecordedSteps = (seen: readonly RecordedStep[]): RecipeStep[] =>
  buildScriptSteps(seen).flatMap((step) => {
    const converted = convertStep(step);
    return converted ? [converted] : [];
  });

const convertStep = (step: RecordedStep): RecipeStep | undefined => {
  switch (step.kind) {
    case 'goto':
      return { open: step.url };
    case 'arrived':
      return { expect: { url: `${stripQuery(step.url)}*` } };
    case 'click':
      return { action: chooseClick(step), target: toTarget(step.target) };
    case 'hover':
      return { action: 'hover', target: toTarget(step.target) };
    case 'fill':
      return { action: 'fill', target: toTarget(step.target), value: toValue(step) };
    case 'select':
      return { action: 'select', target: toTarget(step.target), value: [...step.values] };
    case 'check':
      return { action: step.checked ? 'check' : 'uncheck', target: toTarget(step.target) };
    case 'press':
      return defined({
        action: 'press' as const,
        target: step.target && toTarget(step.target),
        value: [...(step.modifiers ?? []), step.key].join('+'),
      });
    default:
      return undefined;
  }
};

const chooseClick = ({
  button,
  count = 1,
}: Extract<RecordedStep, { kind: 'click' }>): 'click' | 'double_click' | 'right_click' => {
  if (button === 'right') return 'right_click';
  return count === 2 ? 'double_click' : 'click';
};

/** Secrets are stored by their name only. */
const toValue = (step: Extract<RecordedStep, { kind: 'fill' }>): string =>
  step.secret ? `\${SECRET:${step.secretName ?? formatSecretVariable(step)}}` : step.value;

const toTarget = ({ role, name, testId, css }: Locator): RecipeTarget =>
  role !== undefined && name !== undefined
    ? defined({ role, name, testId: testId?.value })
    : { selector: testId ? `[${testId.attribute}="${testId.value}"]` : (css.at(-1) ?? 'body') };

const stripQuery = (url: string): string => url.replace(/[?#].*$/s, '');

/** A call in the journal. */
export interface SourceCall {
  readonly tool?: string;
  readonly args?: unknown;
  readonly ok?: boolean;
  readonly summary?: string;
}

/** The target in a receipt: `clicked e12 button "Pay"`. */
const RECEIPT_TARGET = /\be\d{1,9} ([a-zA-Z]{1,40}) ("(?:[^"\\]|\\.){0,300}")/;

/**
 * The successful actions among the calls, in their order. Throws for an action that cannot be a
 * step, because a recipe without it would be wrong.
 */
export const convertCalls = (
  calls: readonly SourceCall[],
  acts: (tool: string) => boolean,
): RecipeStep[] =>
  calls.flatMap(({ tool = '', args, ok, summary = '' }) => {
    if (!ok || !isRecord(args)) return [];
    const steps = convertCall(args, summary);
    if (steps.length === 0 && acts(tool))
      throw fail('recipe_invalid', `A call of ${tool} cannot become a step.`, {
        hint: 'Record the tab instead, and create the recipe from the recording.',
      });
    return steps;
  });

const convertCall = (args: Record<string, unknown>, summary: string): RecipeStep[] => {
  const { url, action, value, fields } = args;
  if (isUnknownArray(fields)) return args['submit'] ? [] : convertFields(fields);
  if (typeof url === 'string' && action === undefined) return [{ open: url }];
  const target = readTarget(args, summary);
  const { data } = RecipeStep.safeParse({ action, target, ...defined({ value }) });
  return data && target ? [data] : [];
};

/** Fields that are named by their label; none if one of them is not. */
const convertFields = (fields: readonly unknown[]): RecipeStep[] => {
  const steps = fields.flatMap((field): RecipeStep[] => {
    const [label, value] = [getField(field, 'label'), getField(field, 'value')];
    if (typeof label !== 'string') return [];
    if (typeof value === 'boolean')
      return [{ action: value ? 'check' : 'uncheck', target: { label } }];
    return typeof value === 'string' ? [{ action: 'fill', target: { label }, value }] : [];
  });
  return steps.length === fields.length ? steps : [];
};

const readTarget = (args: Record<string, unknown>, summary: string): RecipeTarget | undefined => {
  const [, role, quoted] = RECEIPT_TARGET.exec(summary.slice(0, 1000)) ?? [];
  if (role !== undefined && quoted !== undefined)
    return { role, name: JSON.parse(quoted) as string };
  const { selector } = args;
  return typeof selector === 'string' ? { selector } : undefined;
};

/** A captured request as the only step, after its page was opened. */
export const convertRequest = (detail: unknown): RecipeStep[] => {
  const method = getField(detail, 'method');
  const url = getField(detail, 'url');
  if (typeof method !== 'string' || typeof url !== 'string')
    throw fail('recipe_invalid', 'The request cannot be repeated: it has no address.');
  const sent = getField(detail, 'request');
  const body = getField(sent, 'body');
  const type = getField(getField(sent, 'headers'), 'content-type');
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const origin = new URL(url).origin;
  const request = defined({
    method,
    url,
    headers: typeof type === 'string' ? { 'content-type': type } : undefined,
    body: text,
  });
  return [{ open: `${origin}/` }, { request }];
};

/** Replaces values by parameters: `{email: "ada@x.org"}` turns each "ada@x.org" into {{email}}. */
export const addParams = (
  recipe: Recipe,
  params: Readonly<Record<string, string | number | boolean>>,
): Recipe => {
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceValues(value, params);
    if (isUnknownArray(value)) return value.map(replace);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one)]));
  };
  const declared = Object.entries(params).map(([key, value]) => [
    key,
    { type: typeof value, default: value },
  ]);
  return {
    ...recipe,
    params: Object.fromEntries(declared) as Recipe['params'],
    steps: replace(recipe.steps) as RecipeStep[],
  };
};

const replaceValues = (
  text: string,
  params: Readonly<Record<string, string | number | boolean>>,
): string =>
  Object.entries(params).reduce((out, [key, value]) => {
    const wanted = String(value);
    return wanted === '' ? out : out.replaceAll(wanted, `{{${key}}}`);
  }, text);
