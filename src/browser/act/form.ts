// Fills many fields in one call and reads each one back; a failed field does not stop the others.
// Text is entered as trusted input; checkboxes and lists are clicked. Dates, colours, sliders and
// native selects are set by script with the events of their popups, because their keyboard input
// depends on the locale. This takes one round trip per field with real input, or per group of
// texts that are sent at once, and none for the others.
import { callAll } from '../../core/collections.ts';
import { compact, defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import { after } from '../../core/time.ts';
import type {
  FormEnd,
  FormItem,
  FormResult,
  FormStop,
  FormText,
  Spec,
} from '../../page/act/act-answers.ts';
import type { RecordedElement } from '../../page/recorded/recorded-answers.ts';
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { buildTargetName, requireElementPlace } from './elements.ts';
import { TabActivity } from './tab-activity.ts';
import { enterInto, type FormField, fillSecretsIn, requireFieldValue } from './fill.ts';
import { clickEvents, sendMouse } from './mouse.ts';
import {
  beforeAnything,
  readTargetFacts,
  refuseUnderDialog,
  type ActionContext,
  untilInterrupted,
  trackActing,
} from './perform.ts';
import { problemFailure } from './reach.ts';
import type { Effects, TargetName } from '../../core/receipt.ts';
import { EffectWait } from './settle.ts';
import { toPageCoordinates } from '../read/frame-owners.ts';
import { parseSwitch, joinTexts, toTexts, type WantedValue } from './field-values.ts';
import { inPage } from '../tabs/in-page.ts';
import { makeVisibleMeanwhile } from '../tabs/shown-page.ts';

export interface FieldRequest {
  readonly ref?: string | undefined;
  readonly label?: string | undefined;
  readonly name?: string | undefined;
  readonly selector?: string | undefined;
  readonly value: WantedValue;
}

export interface FieldFailure {
  /** The field as the caller named it. */
  readonly field: string;
  readonly failure: Failure;
}

export interface FormOutcome {
  readonly filled: number;
  readonly failed: readonly FieldFailure[];
  readonly effects: Effects;
  /** The button that submits the form. */
  readonly submit?: TargetName;
}

/** The fields of one frame, with their indexes in the caller's list. */
interface Batch {
  readonly frame: Frame;
  readonly fields: {
    readonly index: number;
    readonly request: FieldRequest;
    readonly item: FormItem;
    readonly namesSecret: boolean;
  }[];
}

const nameField = ({ ref, label, name, selector }: FieldRequest): string =>
  ref ?? label ?? name ?? selector ?? '';

export const fillForm = async (
  context: ActionContext,
  requests: readonly FieldRequest[],
): Promise<FormOutcome> => {
  const { tab, patience } = context;
  refuseUnderDialog(tab);
  makeVisibleMeanwhile(tab, context.signal);
  const failures = new Map<number, Failure>();
  using activity = new TabActivity(tab);
  const { batches, watched } = await beforeAnything(context, async (signal) => {
    const batches = await batchByFrame(context, requests, failures);
    const watched = batches.map(async ({ frame }) => ({
      frame,
      watch: await frame.call(inPage.more.beginWatch, [], signal),
    }));
    return { batches, watched: await Promise.all(watched) };
  });
  let submit: TargetName | undefined;
  const facts: (RecordedElement | null)[] = requests.map(() => null);
  const effects = await trackActing(context, async (signal) => {
    const effectWait = new EffectWait(tab, activity, watched, patience, signal);
    for (const [i, batch] of batches.entries()) {
      const end = await fillBatch(context, batch, watched[i]?.watch ?? 0, failures);
      if (end.submit) submit = buildTargetName(tab, batch.frame, end.submit);
      if (!context.keepTargets) continue;
      const ids = end.results.map(({ element }) => element?.id ?? 0);
      for (const [item, fact] of (await readTargetFacts(batch.frame, ids, signal)).entries())
        facts[batch.fields[item]?.index ?? 0] = fact;
    }
    context.keepTargets?.(facts);
    await effectWait.look('task');
    await effectWait.rest(0);
    effectWait.end();
    return effectWait.effects();
  });
  const failed = [...failures]
    .sort(([a], [b]) => a - b)
    .map(([index, failure]) => ({ field: nameField(requests[index] as FieldRequest), failure }));
  return defined({
    filled: requests.length - failed.length,
    failed,
    effects,
    submit,
  });
};

/**
 * Groups fields by frame. A ref has a known frame; other fields are searched in the main frame
 * first, then in its subframes.
 */
const batchByFrame = async (
  context: ActionContext,
  requests: readonly FieldRequest[],
  failures: Map<number, Failure>,
): Promise<Batch[]> => {
  const batches = new Map<Frame, Batch>();
  const placed = await Promise.all(
    requests.map(async (request, index) => {
      try {
        const { frame, spec } = await placeField(context, request);
        const value = await fillSecretsIn(context, request.value, frame);
        const namesSecret = joinTexts(value) !== joinTexts(request.value);
        return { index, frame, spec, request: { ...request, value }, namesSecret };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failures.set(index, error);
        return undefined;
      }
    }),
  );
  for (const one of placed) {
    if (!one) continue;
    const { frame, spec, index, request, namesSecret } = one;
    const state = parseSwitch(request.value);
    const texts = toTexts(request.value);
    const item: FormItem = defined({ spec, texts, state, ...compact({ alone: namesSecret }) });
    const batch = batches.get(frame) ?? { frame, fields: [] };
    batch.fields.push({ index, request, item, namesSecret });
    batches.set(frame, batch);
  }
  return [...batches.values()];
};

const buildSpec = ({
  label,
  name,
  selector = '',
}: Pick<FieldRequest, 'label' | 'name' | 'selector'>): Spec => {
  if (label !== undefined) return { label };
  return name !== undefined ? { name } : { selector };
};

const placeField = async (
  { tab, signal }: ActionContext,
  { ref, label, name, selector }: FieldRequest,
): Promise<{ frame: Frame; spec: Spec }> => {
  if (ref !== undefined) {
    const { frame, id, fingerprint } = await requireElementPlace(tab, ref, signal);
    return { frame, spec: { id, fingerprint } };
  }
  const spec = buildSpec({ label, name, selector });
  return { frame: await frameWith(tab.frames.all(), spec, signal), spec };
};

/** Returns the first frame that has such a field, or the main frame if none has. */
const frameWith = async (
  frames: readonly Frame[],
  spec: Spec,
  signal: AbortSignal,
): Promise<Frame> => {
  const [main, ...others] = frames as [Frame, ...Frame[]];
  if (others.length === 0) return main;
  for (const frame of frames) {
    try {
      const found = await frame.call(inPage.more.findTarget, [spec, 'field'], signal);
      if (found.problem !== 'not_found') return frame;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return main;
};

/**
 * The page cannot be read while its dialog is open, so the fields are listed by the input that was
 * sent: fields after it that need no real input may be filled too.
 */
const openedDialogFailure = (
  fields: Batch['fields'],
  done: number,
  failures: ReadonlyMap<number, Failure>,
): Failure => {
  const names = fields.map(({ request }) => nameField(request));
  const filled = names.slice(0, done).filter((_, i) => !failures.has(fields[i]?.index ?? 0));
  const unknown = names.slice(done);
  return fail(
    'dialog_open',
    'A dialog opened while the form was filled. The filled fields were not read back' +
      textIf(unknown.length > 0, ', and the fields after them may be empty') +
      '.',
    { filled, ...compact({ unknown }) },
  );
};

/** Throws the failure if a dialog opens, because the page then does not respond. */
const unlessDialog = async <T>(
  { dialog, events }: Tab,
  work: Promise<T>,
  buildFailure: () => Failure,
): Promise<T> => {
  work.catch(() => {}); // not awaited if a dialog opens
  if (dialog) throw buildFailure();
  const off: (() => void)[] = [];
  const opened = new Promise<never>((_, reject) =>
    off.push(events.on('dialog', () => reject(buildFailure()))),
  );
  try {
    return await Promise.race([work, opened]);
  } finally {
    callAll(off);
  }
};

/**
 * Input after which the page continues by itself. After a press the page's task was seen to run up
 * to 14 ms later than a command of the debugger.
 */
const REPORTED = new Set<FormStop['how']>(['text']);
/** How long the event may take after Chrome has confirmed the input. */
const REPORT_MS = 50;

/** Lets the page continue without the event, which a handler of the page may have blocked. */
const releaseAfter = async <T>(
  frame: Frame,
  item: number,
  reportMs: number,
  continued: Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  using _ = after(reportMs, () => {
    frame.call(inPage.more.releaseForm, [item], signal).catch(() => {}); // the page is gone
  });
  return await continued;
};

const fillBatch = async (
  context: ActionContext,
  { frame, fields }: Batch,
  watch: number,
  failures: Map<number, Failure>,
): Promise<FormEnd> => {
  const { signal, reachMs, tab } = context;
  const items = fields.map(({ item }) => item);
  const indexOf = (item: number): number => fields[item]?.index ?? 0;
  let done = 0;
  const dialogFailure = (): Failure => openedDialogFailure(fields, done, failures);
  let state = await unlessDialog(
    tab,
    frame.call(inPage.more.beginForm, [items, watch, reachMs], signal),
    dialogFailure,
  );
  while (state.state === 'input') {
    const stop = state;
    const { following = [] } = stop;
    if (stop.how === 'none') done = stop.item;
    // The page continues as soon as it has handled the input, which saves a round trip.
    const continued = REPORTED.has(stop.how)
      ? frame.call(inPage.more.nextInForm, [true], signal)
      : undefined;
    continued?.catch(() => {}); // not awaited if the input fails
    let reportMs = REPORT_MS;
    try {
      if (stop.field === 'file' && fields[stop.item]?.namesSecret)
        throw fail('secret_not_allowed_here', 'A file path cannot contain a secret.', {
          argument: 'fields',
        });
      const input = (): Promise<void> =>
        following.length > 0
          ? sendTexts(context, stop, following, (count) => (done = count))
          : giveInput(context, frame, watch, stop);
      if (stop.how !== 'none') await untilInterrupted(context, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.set(indexOf(stop.item), error);
      reportMs = 0;
    }
    if (stop.how !== 'none' && following.length === 0) done = stop.item + 1;
    const next = await unlessDialog(
      tab,
      continued
        ? releaseAfter(frame, stop.item, reportMs, continued, signal)
        : frame.call(inPage.more.nextInForm, [false], signal),
      dialogFailure,
    );
    if (!next) throw fail('page_changed', 'The page was replaced while its form was filled in.');
    state = next;
  }
  for (const [item, result] of state.results.entries()) {
    const failure = failures.has(indexOf(item))
      ? undefined
      : await judge(context, frame, fields[item]?.request as FieldRequest, result);
    if (failure) failures.set(indexOf(item), failure);
  }
  return state;
};

const buildFormField = (
  { tab }: ActionContext,
  frame: Frame,
  watch: number,
  { id, field, secret }: FormStop,
): FormField => ({
  frame,
  id,
  kind: field,
  watch,
  name: { ...refIfGiven(tab.refs.given(id)), role: field, name: '' },
  checked: undefined,
  secret: secret === true,
});

/**
 * Sends texts without waiting in between. `onDone` receives the number of items that are done when
 * the text that Chrome handles now is entered.
 */
const sendTexts = async (
  { tab, signal, learnSecret }: ActionContext,
  { item, texts, secret }: FormStop,
  following: readonly FormText[],
  onDone: (count: number) => void,
): Promise<void> => {
  const first = texts.join(', ');
  if (secret) learnSecret(first);
  const all = [{ item, text: first }, ...following];
  onDone(item + 1);
  await Promise.all(
    all.map(async ({ text }, i) => {
      await tab.cdp.send('Input.insertText', { text }, signal);
      const current = all[i + 1];
      if (current) onDone(current.item + 1);
    }),
  );
};

const refIfGiven = (ref: string | undefined): { ref?: string } => defined({ ref });

const giveInput = async (
  context: ActionContext,
  frame: Frame,
  watch: number,
  stop: FormStop,
): Promise<void> => {
  const { tab, signal } = context;
  if (stop.how === 'press' && stop.point) {
    const outer = frame.parent
      ? await toPageCoordinates(frame, stop.point, signal)
      : { point: stop.point };
    if ('problem' in outer)
      throw await problemFailure(
        tab,
        outer.frame,
        outer.problem,
        { ref: tab.refs.given(stop.id) ?? 'the field' },
        signal,
      );
    return sendMouse(tab.cdp, clickEvents(outer.point), signal);
  }
  await enterInto(context, buildFormField(context, frame, watch, stop), stop.texts);
};

/** Returns a failure if the field does not have the requested value. */
const judge = async (
  { tab, signal }: ActionContext,
  frame: Frame,
  request: FieldRequest,
  result: FormResult,
): Promise<Failure | undefined> => {
  if (result.problem)
    return problemFailure(tab, frame, result.problem, buildTarget(request), signal);
  const { element, field, held, secret, state, written } = result;
  if (!element || field === undefined || held === undefined)
    return fail('page_changed', 'The page replaced the field, so its value is unknown.');
  try {
    const name = buildTargetName(tab, frame, element);
    requireFieldValue(
      {
        frame,
        id: element.id,
        kind: field,
        watch: 0,
        name,
        checked: undefined,
        secret: secret === true,
      },
      state ?? written ?? request.value,
      held,
    );
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

const buildTarget = ({
  ref,
  selector,
  label,
  name,
}: FieldRequest): { ref: string } | { selector: string } | { query: string } => {
  if (ref !== undefined) return { ref };
  return selector === undefined ? { query: label ?? name ?? '' } : { selector };
};
