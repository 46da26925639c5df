// Puts a value into a field of any kind, in the way a person would where the kind allows it, and checks that it took.
import { fail, type Failure } from '../../core/failure.ts';
import type { Chosen, FieldKind, FoundOption, Held, Point } from '../page-scripts/act/answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { showNamed as shown } from './elements.ts';
import { pressChord, typeText } from './keyboard.ts';
import { parseChord } from './keys.ts';
import { clickEvents, sendMouse } from './mouse.ts';
import type { Scene } from './perform.ts';
import { type Reached, reachIn } from './reach.ts';
import type { Named } from './receipt.ts';
import { FORMATS, holds, stateOf, textOf, textsOf, type Wanted } from './values.ts';

/** How long the list of a combobox may take to appear. */
const LIST_MS = 1000;
const MAX_SHOWN = 120;

/** A field that was reached: its frame, its number there, and the watch that its action goes on under. */
export interface Field {
  readonly frame: Frame;
  readonly id: number;
  readonly kind: FieldKind;
  readonly watch: number;
  readonly name: Named;
  readonly checked: boolean | undefined;
  readonly secret: boolean;
}

export const fieldFrom = ({ frame, ready, target }: Reached): Field => ({
  frame,
  id: ready.element.id,
  kind: ready.field,
  watch: ready.watch,
  name: target,
  checked: ready.checked,
  secret: ready.secret === true,
});

/** Enters a value into a field that has the focus, with its text selected; returns it as the field writes it. */
export const enterValue = async (scene: Scene, field: Field, wanted: Wanted): Promise<Wanted> => {
  const filled = await fillSecretsIn(scene, wanted, field.kind === 'file' ? undefined : field.frame);
  const written = await enter(scene, field, filled);
  return typeof written === 'string' ? written : filled;
};

/** The value with the secrets that its texts name. */
export const fillSecretsIn = async ({ fillSecrets }: Scene, wanted: Wanted, frame?: Frame): Promise<Wanted> => {
  if (typeof wanted === 'string') return fillSecrets(wanted, frame);
  if (typeof wanted !== 'object') return wanted;
  return Promise.all(wanted.map((text) => fillSecrets(text, frame)));
};

const enter = async (scene: Scene, field: Field, wanted: Wanted): Promise<unknown> => {
  switch (field.kind) {
    case 'text':
    case 'number':
      if (field.secret) scene.learnSecret(textOf(wanted));
      return replaceText(scene, textOf(wanted));
    case 'editor':
      return replaceLines(scene, textOf(wanted));
    case 'select':
    case 'multiselect':
      return choose(scene, field, wanted);
    case 'checkbox':
    case 'radio':
    case 'aria-check':
      return setChecked(scene, field, requireState(field, wanted));
    case 'aria-choice':
      return chooseInList(scene, field, textOf(wanted));
    case 'aria-range':
      return stepTo(scene, field, Number(textOf(wanted)));
    case 'file':
      return giveFiles(scene, field, textsOf(wanted));
    case 'none':
      throw fail('not_editable', `${shown(field.name)} is not a field.`, { ref: field.name.ref });
    default:
      return field.frame.call<string>('actPick', [field.id, textOf(wanted)], scene.signal);
  }
};

/** The same for texts as they come from a form. */
export const enterInto = (scene: Scene, field: Field, texts: readonly string[]): Promise<Wanted> =>
  enterValue(scene, field, field.kind === 'file' || field.kind === 'multiselect' ? texts : texts.join(', '));

/** What was selected is replaced by what is inserted, as by a paste or a dictation: one trusted input event. */
const replaceText = async ({ tab, signal }: Scene, text: string): Promise<void> => {
  if (text === '') await pressChord(tab.cdp, parseChord('Delete'), signal);
  else await tab.cdp.send('Input.insertText', { text }, signal);
};

/** Editors make paragraphs of the Enter key; a line break inside inserted text is theirs to lose. */
const replaceLines = async (scene: Scene, text: string): Promise<void> => {
  const { tab, signal } = scene;
  const [first = '', ...rest] = text.split(/\r?\n/);
  await replaceText(scene, first);
  for (const line of rest) {
    await pressChord(tab.cdp, parseChord('Enter'), signal);
    if (line !== '') await tab.cdp.send('Input.insertText', { text: line }, signal);
  }
};

const requireState = (field: Field, wanted: Wanted): boolean => {
  const state = stateOf(wanted);
  if (state === undefined)
    throw fail(
      'invalid_argument',
      `${shown(field.name)} is on or off: its value must be true or false, not ${JSON.stringify(wanted).slice(0, 80)}.`,
      {
        argument: 'value',
      },
    );
  return state;
};

const choose = async ({ signal }: Scene, field: Field, wanted: Wanted): Promise<void> => {
  const { missing, available } = await field.frame.call<Chosen>('actChoose', [field.id, textsOf(wanted)], signal);
  if (missing) throw optionNotFound(field, missing, available ?? []);
};

const optionNotFound = ({ name }: Field, missing: readonly string[], available: readonly string[]): Failure =>
  fail('option_not_found', `${shown(name)} has no option ${missing.map((text) => JSON.stringify(text.slice(0, 80))).join(', ')}.`, {
    ref: name.ref,
    options: available,
  });

/** A press on a part of the field, under the watch of the action. */
const press = async (scene: Scene, { frame, watch }: Field, id: number): Promise<void> => {
  const point: Point = await reachIn(
    scene.tab,
    frame,
    id,
    { needs: { pointer: true, enabled: true }, within: watch, patienceMs: scene.reachMs },
    scene.signal,
  );
  await sendMouse(scene.tab.cdp, clickEvents(point), scene.signal);
};

const setChecked = async (scene: Scene, field: Field, wanted: boolean): Promise<void> => {
  if (field.checked === wanted) return;
  if (field.kind === 'radio' && !wanted)
    throw fail('invalid_argument', `${shown(field.name)} cannot be switched off: choose another one of its group.`, { argument: 'value' });
  await press(scene, field, field.id);
};

/** Opens the list, finds the option in it (typing where the box takes text) and presses it. */
const chooseInList = async (scene: Scene, field: Field, wanted: string): Promise<void> => {
  const { frame, id } = field;
  const { signal, tab } = scene;
  if (!(await frame.call<boolean>('actIsOpen', [id], signal))) await press(scene, field, id);
  let found = await frame.call<FoundOption>('actFindOption', [id, wanted, LIST_MS / 2], signal);
  if (found.id === undefined && found.available.length === 0) {
    await typeText(tab.cdp, wanted, signal);
    found = await frame.call<FoundOption>('actFindOption', [id, wanted, LIST_MS], signal);
  }
  if (found.id === undefined) throw optionNotFound(field, [wanted], found.available);
  await press(scene, field, found.id);
};

const MAX_STEPS = 1000;

/** A slider made of other elements is moved by its arrow keys. */
const stepTo = async ({ tab, signal }: Scene, { frame, id, name }: Field, wanted: number): Promise<void> => {
  if (Number.isNaN(wanted)) throw fail('invalid_argument', `${shown(name)} takes a number.`, { argument: 'value' });
  const read = async (): Promise<number> => Number(await frame.call<Held>('actHeld', [id], signal));
  let now = await read();
  for (let steps = 0; now !== wanted && steps < MAX_STEPS; steps++) {
    await pressChord(tab.cdp, parseChord(wanted > now ? 'ArrowRight' : 'ArrowLeft'), signal);
    const next = await read();
    if (next === now || Math.sign(wanted - next) !== Math.sign(wanted - now)) return; // stuck, or stepped over it
    now = next;
  }
};

export const giveFiles = async ({ tab, signal, allowFile }: Scene, { frame, id }: Field, paths: readonly string[]): Promise<void> => {
  const files = await Promise.all(paths.filter((path) => path !== '').map(allowFile));
  const objectId = await frame.callForHandle('element', [id], signal);
  if (objectId === undefined) throw fail('page_changed', `The file field went away in the page at ${tab.url.slice(0, 200)}.`);
  await frame.session.send('DOM.setFileInputFiles', { files, objectId }, signal);
};

/** Fails where the field does not hold what was wanted. */
export const requireHeld = (field: Field, wanted: Wanted, held: Held): void => {
  if (!holds(field.kind, wanted, held)) throw valueRejected(field, wanted, held);
};

const quoted = (value: Wanted | Held): string => {
  if (typeof value === 'string' && value.length > MAX_SHOWN) return JSON.stringify(`${value.slice(0, MAX_SHOWN)}…`);
  return JSON.stringify(Array.isArray(value) ? (value as readonly string[]).map((text) => text.split('\0')[0]) : value);
};

const valueRejected = ({ kind, name, secret }: Field, wanted: Wanted, held: Held): Failure => {
  const format = FORMATS[kind];
  const what = typeof held === 'boolean' ? `is ${held ? 'on' : 'off'}` : `holds ${secret ? 'something else' : quoted(held)}`;
  return fail('value_rejected', `${shown(name)} ${what} instead of ${secret ? 'what was asked' : quoted(wanted)}.`, {
    ref: name.ref,
    ...(format ? { hint: `The value is written as ${format}.` } : {}),
  });
};
