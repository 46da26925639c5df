// Converts the calls of a task into the steps of a recipe, or names the call that has no step. Pure.
import { defined } from '../../core/defined.ts';
import { EffectKinds, selectRepeatable } from '../../core/effect-kinds.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { getField, isUnknownArray } from '../../core/json.ts';
import { RecipeStep, RecipeTarget } from '../../store/recipes/recipe-schema.ts';

/** How a recipe repeats a successful call. */
export type RecipePart =
  | 'open'
  | 'action'
  | 'fields'
  | 'wait'
  | 'expect'
  /** The call is repeated with its arguments. */
  | 'call'
  /** Opens, selects or closes a tab: a recipe works in one tab. */
  | 'tab'
  /** The call is left out: it does not change the page. */
  | 'skip'
  /** No step can repeat the call, for this reason. */
  | { readonly refused: string };

/** A successful call of a task. */
export interface SourceCall {
  /** Its position among all calls of the task, from 1. */
  readonly number: number;
  readonly tool: string;
  readonly part: RecipePart;
  /** The tool's own arguments, with their documented names. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number | undefined;
  readonly tabId?: string | undefined;
  /** The call worked, but the answer was no. */
  readonly negative?: boolean | undefined;
  readonly summary: string;
  /** Facts of the elements that the call acted on; null for an element without a name. */
  readonly targets: readonly unknown[];
  /** Kinds of effects of its last action. */
  readonly effects?: unknown;
}

/** The failure of a call that cannot become a step. */
const refuseCall = ({ number, tool }: SourceCall, reason: string): Failure =>
  fail('recipe_invalid', `Call ${number} (${tool}) cannot become a step: ${reason}.`, {
    call: number,
    tool,
    reason,
    hint: 'Repeat the task without this call, record the tab instead, or write the recipe by hand.',
  });

/** The steps of the calls. Throws for a call without a step: a recipe without it would be wrong. */
export const convertCalls = (calls: readonly SourceCall[]): RecipeStep[] => {
  const steps: RecipeStep[] = [];
  let tabId: string | undefined;
  let changedTab: SourceCall | undefined;
  for (const call of calls) {
    if (call.part === 'skip') continue;
    if (call.part === 'tab' && steps.length > 0) {
      changedTab ??= call;
      continue;
    }
    const converted = convertCall(call);
    if (converted.length === 0) continue;
    if (changedTab) throw refuseCall(changedTab, ONE_TAB);
    if (tabId !== undefined && call.tabId !== undefined && call.tabId !== tabId)
      throw refuseCall(call, ONE_TAB);
    tabId ??= call.tabId;
    if (JSON.stringify(converted).includes('[redacted')) throw refuseCall(call, SECRET_INSIDE);
    steps.push(...converted);
  }
  if (changedTab && changedTab.args['action'] !== 'close') throw refuseCall(changedTab, ONE_TAB);
  return steps;
};

const ONE_TAB = 'a recipe works in one tab, and this call uses another one';
const SECRET_INSIDE =
  'it contains a secret, which is not recorded (name it as ${SECRET:NAME} in the call)';

const convertCall = (call: SourceCall): RecipeStep[] => {
  const { part, tool, args, timeoutMs, negative } = call;
  if (typeof part === 'object') throw refuseCall(call, part.refused);
  switch (part) {
    case 'open':
    case 'tab':
      return typeof args['url'] === 'string' ? [{ open: args['url'] }] : [];
    case 'action':
      return [convertAction(call)];
    case 'fields':
      return convertFields(call);
    case 'wait':
      return [{ wait: defined({ ...args, timeout_ms: timeoutMs }) }];
    case 'expect':
      // a check that failed is not a fact about the page
      return negative ? [] : [{ expect: defined({ ...args, timeout_ms: timeoutMs }) }];
    case 'call':
      return [{ call: tool, args: { ...args } }];
    default:
      return [];
  }
};

const TARGET_NAMES = ['ref', 'selector', 'query', 'recorded'];

const convertAction = (call: SourceCall): RecipeStep => {
  const { args, summary, targets, effects } = call;
  const { action, value } = args;
  const hasTarget = TARGET_NAMES.some((name) => args[name] !== undefined);
  const target = hasTarget
    ? (parseTarget(targets.at(-1)) ?? readTarget(args, summary))
    : parseTarget(targets.at(-1));
  if (hasTarget && !target)
    throw refuseCall(call, 'its element has neither a name nor a selector that was recorded');
  const receipt = buildReceipt(String(action), effects);
  const { data } = RecipeStep.safeParse(
    defined({ action, target, value: toStepValue(value), receipt }),
  );
  if (!data) throw refuseCall(call, `no kind of step repeats the action "${String(action)}"`);
  return data;
};

/** Actions whose result is not read back: only their effects show that they worked. */
const UNVERIFIED = new Set(['click', 'double_click', 'right_click', 'press', 'upload']);

const buildReceipt = (action: string, effects: unknown): EffectKinds | undefined => {
  const { data } = EffectKinds.safeParse(effects);
  return data && selectRepeatable(data, UNVERIFIED.has(action));
};

const toStepValue = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

/** The fields, and the button that submits them. */
const convertFields = (call: SourceCall): RecipeStep[] => {
  const { args, targets, negative, effects } = call;
  const { fields, submit } = args;
  if (!isUnknownArray(fields)) throw refuseCall(call, 'its fields were not recorded');
  if (negative) throw refuseCall(call, 'some of its fields were not filled');
  const steps = fields.map((field, index): RecipeStep => {
    const target = parseTarget(targets[index]) ?? parseTarget(readFieldName(field));
    if (target) return convertField(target, getField(field, 'value'));
    throw refuseCall(call, `field ${index + 1} has neither a name nor a label`);
  });
  if (submit === undefined || submit === false) return steps;
  const button = targets.length > fields.length ? parseTarget(targets.at(-1)) : undefined;
  if (!button) throw refuseCall(call, 'the button that submits the form has no name');
  const receipt = buildReceipt('click', effects);
  return [...steps, defined({ action: 'click' as const, target: button, receipt })];
};

const readFieldName = (field: unknown): object => {
  const [label, selector] = [getField(field, 'label'), getField(field, 'selector')];
  return defined({ label, selector });
};

const convertField = (target: RecipeTarget, value: unknown): RecipeStep => {
  if (typeof value === 'boolean') return { action: value ? 'check' : 'uncheck', target };
  if (isUnknownArray(value)) return { action: 'select', target, value: value.map(String) };
  return { action: 'fill', target, value: String(value) };
};

/** Undefined if the facts do not identify an element. */
const parseTarget = (facts: unknown): RecipeTarget | undefined => {
  const { data } = RecipeTarget.safeParse(facts);
  return data && Object.keys(data).length > 0 ? withoutRedacted(data) : undefined;
};

/** The words around an element can contain a secret; its role and name find it without them. */
const withoutRedacted = ({ row, order, within, attributes, ...target }: RecipeTarget) => {
  const around = Object.entries({ row, order, within, attributes }).filter(
    ([, value]) => !JSON.stringify(value ?? '').includes('[redacted'),
  );
  return defined({ ...target, ...Object.fromEntries(around) });
};

/** The target in a receipt: `clicked e12 button "Pay"`. */
const RECEIPT_TARGET = /\be\d{1,9} ([a-zA-Z]{1,40}) ("(?:[^"\\]|\\.){0,300}")/;

const readTarget = (args: SourceCall['args'], summary: string): RecipeTarget | undefined => {
  const [, role, quoted] = RECEIPT_TARGET.exec(summary.slice(0, 1000)) ?? [];
  if (role !== undefined && quoted !== undefined)
    return { role, name: JSON.parse(quoted) as string };
  const { selector } = args;
  return typeof selector === 'string' ? { selector } : undefined;
};
