// Enters a value into a field of any kind, with real input if possible, and verifies the value.
import { quoteText } from '../../core/text.ts';
import { defined, valueIf } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { FieldKind, FieldValue, Point } from '../../page/act/act-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { formatTargetName as shown } from './elements.ts';
import { pressChord, typeText } from './keyboard.ts';
import { parseChord } from './keys.ts';
import { clickEvents, sendMouse } from './mouse.ts';
import type { ActionContext } from './perform.ts';
import { type Reached, reachIn } from './reach.ts';
import type { TargetName } from '../../core/receipt.ts';
import {
  FORMATS,
  isSameValue,
  parseSwitch,
  joinTexts,
  toTexts,
  type WantedValue,
} from './field-values.ts';
import { inPage } from '../tabs/in-page.ts';

/** How long the list of a combobox may take to open. */
const LIST_MS = 1000;
const MAX_SHOWN = 120;

/** A reached field: its frame, its element id, and the id of the action's watch. */
export interface FormField {
  readonly frame: Frame;
  readonly id: number;
  readonly kind: FieldKind;
  readonly watch: number;
  readonly name: TargetName;
  readonly checked: boolean | undefined;
  readonly secret: boolean;
}

export const createFormField = ({ frame, ready, target }: Reached): FormField => ({
  frame,
  id: ready.element.id,
  kind: ready.field,
  watch: ready.watch,
  name: target,
  checked: ready.checked,
  secret: ready.secret === true,
});

/**
 * Enters a value into the focused field whose text is selected. Returns the value in the format of
 * the field.
 */
export const enterValue = async (
  context: ActionContext,
  field: FormField,
  wanted: WantedValue,
): Promise<WantedValue> => {
  const filled = await fillSecretsIn(context, wanted, valueIf(field.kind !== 'file', field.frame));
  const written = await enter(context, field, filled);
  return typeof written === 'string' ? written : filled;
};

/** Replaces the names of secrets in the value by their values. */
export const fillSecretsIn = async (
  { fillSecrets }: ActionContext,
  wanted: WantedValue,
  frame?: Frame,
): Promise<WantedValue> => {
  if (typeof wanted === 'string') return fillSecrets(wanted, frame);
  if (typeof wanted !== 'object') return wanted;
  return Promise.all(wanted.map((text) => fillSecrets(text, frame)));
};

const enter = async (
  context: ActionContext,
  field: FormField,
  wanted: WantedValue,
): Promise<unknown> => {
  switch (field.kind) {
    case 'text':
    case 'number':
      if (field.secret) context.learnSecret(joinTexts(wanted));
      return replaceText(context, joinTexts(wanted));
    case 'editor':
      return replaceLines(context, joinTexts(wanted));
    case 'select':
    case 'multiselect':
      return choose(context, field, wanted);
    case 'checkbox':
    case 'radio':
    case 'aria-check':
      return setChecked(context, field, requireState(field, wanted));
    case 'aria-choice':
      return chooseInList(context, field, joinTexts(wanted));
    case 'aria-range':
      return stepTo(context, field, Number(joinTexts(wanted)));
    case 'file':
      return giveFiles(context, field, toTexts(wanted));
    case 'none':
      throw fail('not_editable', `${shown(field.name)} is not a field.`, { ref: field.name.ref });
    default:
      return field.frame.call(inPage.more.pick, [field.id, joinTexts(wanted)], context.signal);
  }
};

/** Enters the texts of a form field. */
export const enterInto = (
  context: ActionContext,
  field: FormField,
  texts: readonly string[],
): Promise<WantedValue> =>
  enterValue(
    context,
    field,
    field.kind === 'file' || field.kind === 'multiselect' ? texts : texts.join(', '),
  );

/** Replaces the selected text with one trusted input event, like a paste. */
const replaceText = async ({ tab, signal }: ActionContext, text: string): Promise<void> => {
  if (text === '') await pressChord(tab.cdp, parseChord('Delete'), signal);
  else await tab.cdp.send('Input.insertText', { text }, signal);
};

/** Presses Enter for each line break, because editors may drop line breaks in inserted text. */
const replaceLines = async (context: ActionContext, text: string): Promise<void> => {
  const { tab, signal } = context;
  const [first = '', ...rest] = text.split(/\r?\n/);
  await replaceText(context, first);
  for (const line of rest) {
    await pressChord(tab.cdp, parseChord('Enter'), signal);
    if (line !== '') await tab.cdp.send('Input.insertText', { text: line }, signal);
  }
};

const requireState = (field: FormField, wanted: WantedValue): boolean => {
  const state = parseSwitch(wanted);
  if (state === undefined)
    throw fail(
      'invalid_argument',
      `${shown(field.name)} can only be on or off: its value must be true or false, ` +
        `not ${JSON.stringify(wanted).slice(0, 80)}.`,
      {
        argument: 'value',
      },
    );
  return state;
};

const choose = async (
  { signal }: ActionContext,
  field: FormField,
  wanted: WantedValue,
): Promise<void> => {
  const { missing, available } = await field.frame.call(
    inPage.more.choose,
    [field.id, toTexts(wanted)],
    signal,
  );
  if (missing) throw optionNotFoundFailure(field, missing, available ?? []);
};

const optionNotFoundFailure = (
  { name }: FormField,
  missing: readonly string[],
  available: readonly string[],
): Failure => {
  const options = missing.map((text) => JSON.stringify(text.slice(0, 80))).join(', ');
  return fail('option_not_found', `${shown(name)} has no option ${options}.`, {
    ref: name.ref,
    options: available,
  });
};

/** Clicks a part of the field within the watch of the action. */
const press = async (
  context: ActionContext,
  { frame, watch }: FormField,
  id: number,
): Promise<void> => {
  const point: Point = await reachIn(
    context.tab,
    frame,
    id,
    { needs: { pointer: true, enabled: true }, within: watch, patienceMs: context.reachMs },
    context.signal,
  );
  await sendMouse(context.tab.cdp, clickEvents(point), context.signal);
};

const setChecked = async (
  context: ActionContext,
  field: FormField,
  wanted: boolean,
): Promise<void> => {
  if (field.checked === wanted) return;
  if (field.kind === 'radio' && !wanted)
    throw fail(
      'invalid_argument',
      `${shown(field.name)} is a radio button and cannot be switched off: choose another option ` +
        `of its group.`,
      { argument: 'value' },
    );
  await press(context, field, field.id);
};

/** Opens the list, finds the option (types the text if the list is empty) and clicks it. */
const chooseInList = async (
  context: ActionContext,
  field: FormField,
  wanted: string,
): Promise<void> => {
  const { frame, id } = field;
  const { signal, tab } = context;
  if (!(await frame.call(inPage.more.isOpen, [id], signal))) await press(context, field, id);
  let found = await frame.call(inPage.more.findOption, [id, wanted, LIST_MS / 2], signal);
  if (found.id === undefined && found.available.length === 0) {
    await typeText(tab.cdp, wanted, signal);
    found = await frame.call(inPage.more.findOption, [id, wanted, LIST_MS], signal);
  }
  if (found.id === undefined) throw optionNotFoundFailure(field, [wanted], found.available);
  await press(context, field, found.id);
};

const MAX_STEPS = 1000;

/** Moves an ARIA slider with the arrow keys. */
const stepTo = async (
  { tab, signal }: ActionContext,
  { frame, id, name }: FormField,
  wanted: number,
): Promise<void> => {
  if (Number.isNaN(wanted))
    throw fail('invalid_argument', `${shown(name)} accepts only a number.`, { argument: 'value' });
  const read = async (): Promise<number> =>
    Number(await frame.call(inPage.more.readChoices, [id], signal));
  let now = await read();
  for (let steps = 0; now !== wanted && steps < MAX_STEPS; steps++) {
    await pressChord(tab.cdp, parseChord(wanted > now ? 'ArrowRight' : 'ArrowLeft'), signal);
    const next = await read();
    // the slider did not move, or it moved past the wanted value
    if (next === now || Math.sign(wanted - next) !== Math.sign(wanted - now)) return;
    now = next;
  }
};

export const giveFiles = async (
  { tab, signal, allowFile }: ActionContext,
  { frame, id }: FormField,
  paths: readonly string[],
): Promise<void> => {
  const files = await Promise.all(paths.filter((path) => path !== '').map(allowFile));
  const objectId = await frame.callForHandle(inPage.main.element, [id], signal);
  if (objectId === undefined)
    throw fail(
      'page_changed',
      `The file field was removed from the page at ${quoteText(tab.url)}.`,
    );
  await frame.session.send('DOM.setFileInputFiles', { files, objectId }, signal);
};

/** Throws if the field does not have the wanted value. */
export const requireFieldValue = (
  field: FormField,
  wanted: WantedValue,
  held: FieldValue,
): void => {
  if (!isSameValue(field.kind, wanted, held)) throw valueRejectedFailure(field, wanted, held);
};

const quoteValue = (value: WantedValue | FieldValue): string => {
  if (typeof value === 'string' && value.length > MAX_SHOWN)
    return JSON.stringify(`${value.slice(0, MAX_SHOWN)}…`);
  return JSON.stringify(
    Array.isArray(value) ? (value as readonly string[]).map((text) => text.split('\0')[0]) : value,
  );
};

const valueRejectedFailure = (
  { kind, name, secret }: FormField,
  wanted: WantedValue,
  held: FieldValue,
): Failure => {
  const format = FORMATS[kind];
  const what =
    typeof held === 'boolean'
      ? `is ${held ? 'on' : 'off'}`
      : `contains ${secret ? 'another value' : quoteValue(held)}`;
  return fail(
    'value_rejected',
    `${shown(name)} ${what} instead of ${secret ? 'the requested value' : quoteValue(wanted)}.`,
    defined({
      ref: name.ref,
      hint: valueIf(format, `Expected format: ${format}.`),
    }),
  );
};
