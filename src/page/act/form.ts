// Fills in a form from inside the page; pauses at fields that need real input events.
import { compact, defined, ifDefined } from '../objects.ts';
import { activeElement, attribute, attributeText, localName, queryAll } from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import { assignId, isHere } from '../state.ts';
import { isSeen, trees } from '../match-words.ts';
import { inputType } from '../roles.ts';
import { oneLine } from '../visible-text.ts';
import type {
  FieldKind,
  FormEnd,
  FormItem,
  FormResult,
  FormStop,
  FormText,
  Needs,
  Problem,
  ProblemKind,
} from './act-answers.ts';
import { type Actionable, check, findPressable } from './actionable.ts';
import { createKnown, describe, focusedElement, nameText } from './describe-target.ts';
import {
  chooseOptions,
  fieldKind,
  resolveField,
  readFieldValue,
  isChecked,
  selectAll,
  setPicked,
} from './form-fields.ts';
import { isAsShown, isProblem, locate } from './locate.ts';
import { change, frame, task } from './rhythm.ts';
import { MAX_HANDLERS_MS, TextRun } from './text-run.ts';
import { guardPress } from './watch.ts';
import { Fingerprinter } from '../fingerprint.ts';

/** Problems that waiting does not solve. */
const FINAL_PROBLEMS = new Set<ProblemKind>(['stale', 'bad_selector', 'not_editable']);
/** Problems that end with a change of the DOM; others can end with any frame. */
const DOM_PROBLEMS = new Set<ProblemKind>(['not_found', 'disabled']);
const BUTTON_TAGS = new Set<string>(['button', 'input']);

/** One element to set: a field, or a checkbox or radio button of a group. */
interface FormStep {
  readonly item: number;
  readonly element: Element;
  readonly texts: readonly string[];
  readonly state: boolean | undefined;
}

const FIELDS =
  'input:not([type=hidden]),textarea,select,[contenteditable],[role=combobox],[role=listbox],' +
  '[role=checkbox],[role=switch],[role=radio],[role=slider],[role=spinbutton],[role=textbox]';
const BOXES = 'input[type=radio],input[type=checkbox],[role=radio],[role=checkbox]';
const CHECKED = new Set<FieldKind>(['checkbox', 'radio', 'aria-check']);
const PICKED = new Set<FieldKind>([
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
  'range',
  'color',
]);

/** Set by script, with the events of their popups. */
const SCRIPTED = new Set<FieldKind>([...PICKED, 'select', 'multiselect']);
const TYPED = new Set<FieldKind>(['text', 'number']);

/** How many texts may be sent at once. */
const MAX_TEXTS = 32;
/** Chrome inserts a text with line breaks in several parts, with an `input` event for each. */
const isOneEvent = (text: string): boolean => text !== '' && !/[\r\n]/.test(text);

/** The fields of the document by lower-case accessible name; built once for all items. */
const readFieldNames = (): Map<string, Element[]> => {
  const known = createKnown();
  const byName = new Map<string, Element[]>();
  for (const root of trees()) {
    for (const element of queryAll(root, FIELDS)) {
      const name = nameText(element, known).toLowerCase();
      if (name === '') continue;
      const same = byName.get(name);
      if (same) same.push(element);
      else byName.set(name, [element]);
    }
  }
  return byName;
};

class FormRun {
  readonly #items: readonly FormItem[];
  readonly #watch: number;
  readonly #patienceMs: number;
  readonly #results: FormResult[];
  readonly #last = new Map<number, FormStep>();
  /** Values of picker fields by item, in the format that the field stores. */
  readonly #written = new Map<number, string>();
  #names: Map<string, Element[]> | undefined;
  #steps: FormStep[] = [];
  #item = 0;
  /** Resolves when the page has handled the input of the last stop. */
  #handled: Promise<void> = Promise.resolve();
  #release: () => void = () => {};
  /** The item whose input `#handled` waits for. */
  #awaited: number | undefined;
  #textRun: TextRun | undefined;
  /** False after a text did not reach its field: the texts of this form are then sent one by one. */
  #mayRun = true;

  constructor(items: readonly FormItem[], watch: number, patienceMs: number) {
    this.#items = items;
    this.#watch = watch;
    this.#patienceMs = patienceMs;
    const fingerprinter = new Fingerprinter();
    // Before any field changes the page, which could change the rows of the others.
    this.#results = items.map(({ spec }) =>
      isAsShown(spec, fingerprinter) ? {} : { problem: { problem: 'stale' } },
    );
  }

  /**
   * Continues to the next field that needs real input, or to the end. With `awaitsInput` it first
   * waits until the page has handled the input before, which saves the engine a round trip.
   */
  async next(awaitsInput: boolean): Promise<FormStop | FormEnd> {
    if (awaitsInput) await this.#handled;
    const rest = this.#endTextRun();
    if (rest) return rest;
    for (;;) {
      const step = this.#steps.shift();
      if (step) {
        const stop = await this.#set(step);
        if (stop) return stop;
      } else if (this.#item < this.#items.length) await this.#open(this.#item++);
      else return this.#end();
    }
  }

  /**
   * Continues without the event of this item, which the page may have blocked. Ignores an item that
   * is already done, because its successor still waits for its own text.
   */
  release(item: number): void {
    if (item === this.#awaited) this.#release();
  }

  /** Stops for a text, and for those after it that may be sent at once. */
  #stopForTexts(step: FormStep, element: Element, text: string): FormStop {
    const following = this.#mayStartRun(text) ? this.#planTexts() : [];
    if (following.length === 0) {
      this.#expectInput(element, step.item);
      return buildStop(step, element, 'text');
    }
    this.#awaited = step.item;
    this.#handled = new Promise((resolve) => (this.#release = resolve));
    this.#textRun = new TextRun(
      { element, text },
      following,
      () => this.#moveOn(),
      () => void task().then(this.#release),
    );
    return buildStop(step, element, 'text', { following });
  }

  #mayStartRun(text: string): boolean {
    return this.#mayRun && this.#steps.length === 0 && isOneEvent(text);
  }

  /** Whether the text may be sent before its field has the focus. Secrets may not. */
  #mayFollow(item: number, element: Element, text: string): boolean {
    const isSecret = this.#items[item]?.alone === true || inputType(element) === 'password';
    return !isSecret && isOneEvent(text);
  }

  /** The texts that the next items need, up to an item that needs other input. */
  #planTexts(): FormText[] {
    const planned: FormText[] = [];
    for (let item = this.#item; item < this.#items.length; item++) {
      if (this.#results[item]?.problem) continue;
      const field = this.#findField(item);
      if (!field || planned.length + 1 >= MAX_TEXTS) break;
      const { element, kind, text } = field;
      if (SCRIPTED.has(kind) || readFieldValue(element) === text) continue;
      if (!this.#mayFollow(item, element, text)) break;
      planned.push({ item, text });
    }
    return planned;
  }

  /** The field of an item that is set by script or by a text, if it can be found now. */
  #findField(
    item: number,
  ): { element: Element; kind: FieldKind; step: FormStep; text: string } | undefined {
    const { spec, texts, state } = this.#items[item] as FormItem;
    const found = this.#locate(spec);
    const steps = isProblem(found) ? [] : buildSteps(found, item, texts, state);
    if ('problem' in steps || steps.length !== 1) return undefined;
    const [step] = steps as [FormStep];
    const element = resolveField(step.element);
    const kind = fieldKind(element);
    const isFound = TYPED.has(kind) || SCRIPTED.has(kind);
    return isFound ? { element, kind, step, text: texts.join(', ') } : undefined;
  }

  /**
   * Sets fields without waiting, and focuses the next one that needs a text. Leaves an item that
   * cannot be set at once to `next`.
   */
  #moveOn(): { element: Element; text: string } | undefined {
    for (; this.#item < this.#items.length; this.#item++) {
      if (this.#results[this.#item]?.problem) continue;
      const field = this.#findField(this.#item);
      if (!field) return undefined;
      const { element, kind, step, text } = field;
      if (check(element, needsFor(kind)).problem !== undefined) return undefined;
      this.#last.set(this.#item, { ...step, element });
      if (SCRIPTED.has(kind)) this.#setValue(element, kind, step);
      else if (readFieldValue(element) !== text) {
        selectAll(element);
        if (focusedElement(getShadowRoot) !== element) return undefined;
        this.#item++;
        return { element, text };
      }
    }
    return undefined;
  }

  /** Ends the texts that were sent at once; the items that did not get theirs follow one by one. */
  #endTextRun(): FormStop | undefined {
    const run = this.#textRun;
    this.#textRun = undefined;
    run?.end();
    if (!run?.endedEarly) return undefined;
    this.#mayRun = false;
    if (run.lacksText) this.#item--;
    return { state: 'input', item: this.#item, how: 'none', id: 0, field: 'none', texts: [] };
  }

  /** Must be called before another run starts. */
  discard(): void {
    this.#textRun?.end();
  }

  /** Waits for the `input` event that the text of a stop causes. */
  #expectInput(element: Element, item: number): void {
    this.#awaited = item;
    this.#handled = new Promise((resolve) => {
      this.#release = resolve;
      const handle = (): void => void handlersEnd().then((isSoon) => isSoon && resolve());
      element.addEventListener('input', handle, { capture: true, once: true });
    });
  }

  /** Finds the element of an item. Waits, because earlier fields may make it appear. */
  async #open(item: number): Promise<void> {
    if (this.#results[item]?.problem) return;
    const { spec, texts, state } = this.#items[item] as FormItem;
    const found = await this.#patiently(() => this.#locate(spec));
    const steps = isProblem(found) ? found : buildSteps(found, item, texts, state);
    if ('problem' in steps) this.#fail(item, steps);
    else this.#steps.push(...steps);
  }

  #locate(spec: FormItem['spec']): Element | Problem {
    if (spec.label === undefined) return locate(spec, 'field');
    this.#names ??= readFieldNames();
    const known = (this.#names.get(oneLine(spec.label).toLowerCase()) ?? []).filter(
      (element) => isHere(element) && isSeen(element),
    );
    if (known.length === 1) return known[0] as Element;
    const found = locate(spec, 'field');
    if (isProblem(found)) this.#names = undefined; // the page may have changed since
    return found;
  }

  async #patiently<T extends Element | Actionable>(
    attempt: () => T | Problem,
  ): Promise<T | Problem> {
    const endsAt = performance.now() + this.#patienceMs;
    for (;;) {
      const outcome = attempt();
      if (!('problem' in outcome) || outcome.problem === undefined) return outcome;
      const left = endsAt - performance.now();
      if (left <= 0 || FINAL_PROBLEMS.has(outcome.problem)) return outcome;
      await (DOM_PROBLEMS.has(outcome.problem) ? change(Math.min(left, 100)) : frame());
    }
  }

  #fail(item: number, problem: Problem): undefined {
    this.#results[item] = { problem };
    return undefined;
  }

  async #set(step: FormStep): Promise<FormStop | undefined> {
    const { item } = step;
    const element = resolveField(step.element);
    const kind = fieldKind(element);
    this.#last.set(item, { ...step, element });
    const isBox = CHECKED.has(kind);
    if (isBox && step.state === undefined)
      return this.#fail(item, { problem: 'no_state', element: describe(element) });
    if (isBox && isChecked(element) === step.state) return undefined;
    const ready = await this.#patiently(() =>
      check(isBox ? findPressable(element) : element, needsFor(kind)),
    );
    if (ready.problem !== undefined) return this.#fail(item, ready);
    if (isBox) {
      guardPress(this.#watch, element);
      return buildStop(step, element, 'press', { point: ready.point });
    }
    return this.#setValue(element, kind, step);
  }

  #setValue(element: Element, kind: FieldKind, step: FormStep): FormStop | undefined {
    const { item, texts } = step;
    const stop = (how: FormStop['how']): FormStop => buildStop(step, element, how);
    const text = texts.join(', ');
    if (PICKED.has(kind)) {
      this.#written.set(item, setPicked(element, text));
      return undefined;
    }
    switch (kind) {
      case 'text':
      case 'number':
        if (readFieldValue(element) === text) return undefined;
        selectAll(element);
        if (focusedElement(getShadowRoot) !== element)
          return this.#fail(item, {
            problem: 'not_editable',
            element: describe(element),
            detail: 'the page moves the focus to another element',
          });
        return this.#stopForTexts(step, element, text);
      case 'editor':
        selectAll(element);
        return stop('lines');
      case 'select':
      case 'multiselect': {
        const missing = chooseOptions(element as HTMLSelectElement, texts);
        if (missing)
          this.#fail(item, {
            problem: 'no_option',
            element: describe(element),
            detail: missing.missing.join(', '),
            options: missing.available,
          });
        return undefined;
      }
      case 'aria-choice':
        return stop('choice');
      case 'aria-range':
        (element as HTMLElement).focus({ preventScroll: true });
        return stop('range');
      case 'file':
        return stop('files');
      default:
        return this.#fail(item, {
          problem: 'not_editable',
          element: describe(element),
          detail: 'it is not a field',
        });
    }
  }

  /** Reads all values at the end, because a field may change earlier ones. */
  #end(): FormEnd {
    (activeElement() as HTMLElement | null)?.blur(); // fires the change event of the last field
    const known = createKnown();
    for (const [item, { element, state }] of this.#last) {
      if (this.#results[item]?.problem) continue;
      const written = this.#written.get(item);
      this.#results[item] = defined({
        element: describe(element, known),
        field: fieldKind(element),
        state: state !== undefined && CHECKED.has(fieldKind(element)) ? state : undefined,
        written,
        held: isHere(element) ? readFieldValue(element) : undefined,
        ...compact({ secret: inputType(element) === 'password' }),
      });
    }
    const submit = this.#submitButton();
    return defined({
      state: 'done',
      results: this.#results,
      submit: ifDefined(submit, (submit) => describe(submit, known)),
    });
  }

  #submitButton(): Element | undefined {
    const elements = [...this.#last.values()].map(({ element }) => element).toReversed();
    const form = elements
      .map((element) => (element as HTMLInputElement).form ?? element.closest('form'))
      .find((found) => found !== null && found !== undefined);
    if (!form) return undefined;
    // A field named "elements" shadows the form's `elements` property.
    const own = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements')?.get?.call(
      form,
    ) as HTMLFormControlsCollection;
    const buttons = [...own, ...queryAll(form, 'input[type=image]')].filter(
      (element) => isSubmit(element) && isSeen(element),
    );
    return buttons[0];
  }
}

/** Resolves after all handlers of the current event, to whether they took a short time. */
const handlersEnd = async (): Promise<boolean> => {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt < MAX_HANDLERS_MS;
};

const buildStop = (
  { item, texts }: FormStep,
  element: Element,
  how: FormStop['how'],
  more: Partial<FormStop> = {},
): FormStop =>
  defined({
    state: 'input',
    item,
    how,
    id: assignId(element),
    field: fieldKind(element),
    texts,
    ...compact({ secret: inputType(element) === 'password' }),
    ...more,
  });

const isSubmit = (element: Element): boolean => {
  const tag = localName(element);
  return BUTTON_TAGS.has(tag) && /^(?:submit|image)$/.test((element as HTMLInputElement).type);
};

const needsFor = (kind: FieldKind): Needs => {
  if (CHECKED.has(kind)) return { pointer: true, enabled: true };
  // No scrolling: it would render the whole page again for each field.
  return kind === 'file'
    ? { hidden: true, enabled: true }
    : { enabled: true, editable: true, anywhere: true };
};

const isGroup = (element: Element): boolean =>
  localName(element) === 'fieldset' ||
  /^(?:group|radiogroup)$/.test(attributeText(element, 'role'));

/** A group of checkboxes or radio buttons becomes one step per member to set. */
const buildSteps = (
  found: Element,
  item: number,
  texts: readonly string[],
  state: boolean | undefined,
): FormStep[] | Problem => {
  if (isGroup(found)) return buildChoiceSteps(found, [...queryAll(found, BOXES)], item, texts);
  const element = resolveField(found);
  if (inputType(element) === 'radio' && state === undefined)
    return buildChoiceSteps(element, findRadioGroup(element as HTMLInputElement), item, texts);
  return [{ item, element, texts, state }];
};

const findRadioGroup = (radio: HTMLInputElement): Element[] => {
  const scope = radio.form ?? radio.getRootNode();
  return [...queryAll(scope as Element, 'input[type=radio]')].filter(
    (other) => attribute(other, 'name') === attribute(radio, 'name'),
  );
};

const buildChoiceSteps = (
  group: Element,
  boxes: readonly Element[],
  item: number,
  texts: readonly string[],
): FormStep[] | Problem => {
  const known = createKnown();
  const names = boxes.map((box) => nameText(box, known));
  const isWanted = (box: Element, i: number): boolean =>
    texts.some(
      (text) =>
        oneLine(text).toLowerCase() === (names[i] ?? '').toLowerCase() ||
        text === attribute(box, 'value'),
    );
  const wanted = boxes.filter(isWanted);
  const single = boxes.every(
    (box) => inputType(box) === 'radio' || attribute(box, 'role') === 'radio',
  );
  if (wanted.length < texts.length || (single && wanted.length !== 1))
    return {
      problem: 'no_option',
      element: describe(group, known),
      detail: texts.join(', '),
      options: names,
    };
  if (single) return [{ item, element: wanted[0] as Element, texts, state: true }];
  return boxes.map((element) => ({ item, element, texts, state: wanted.includes(element) }));
};

let current: FormRun | undefined;

/** Starts to fill in a form; discards an unfinished run. */
export const beginForm = (
  items: readonly FormItem[],
  watch: number,
  patienceMs: number,
): Promise<FormStop | FormEnd> => {
  current?.discard();
  current = new FormRun(items, watch, patienceMs);
  return current.next(false);
};

/**
 * Continues after real input, or when the page has handled it (`awaitsInput`). Skips a field that
 * could not be filled in.
 */
export const nextInForm = (awaitsInput: boolean): Promise<FormStop | FormEnd> | undefined =>
  current?.next(awaitsInput);

/** Continues a run that waits for input which did not reach its field. */
export const releaseForm = (item: number): void => current?.release(item);
