// The actions on one element, by name: required target state, input, and check of the result.
import { ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import type { ObservedEffects } from '../../page/act/act-answers.ts';
import { noteCopied, paste as pasteText, pressCopy, readCopied } from './clipboard.ts';
import { drag } from './drag.ts';
import { enterValue, createFormField, fillSecretsIn, requireFieldValue } from './fill.ts';
import { pressChord, typeText } from './keyboard.ts';
import { parseChords, parseModifiers } from './keys.ts';
import { clickEvents, moveTo, type Press, sendMouse } from './mouse.ts';
import { perform, performOnPage, type ActionContext } from './perform.ts';
import type { Reached } from './reach.ts';
import type { Receipt } from '../../core/receipt.ts';
import { scroll } from './scroll.ts';
import type { ActionTarget } from './elements.ts';
import { dropFiles, upload } from './upload.ts';
import { joinTexts, type WantedValue } from './field-values.ts';
import { makeVisible } from '../tabs/shown-page.ts';

export const ACTIONS = [
  'click',
  'double_click',
  'right_click',
  'hover',
  'focus',
  'type',
  'fill',
  'select',
  'check',
  'uncheck',
  'press',
  'scroll',
  'drag',
  'upload',
  'drop_files',
  'clear',
  'copy',
  'paste',
] as const;
export type Action = (typeof ACTIONS)[number];

export interface Interaction {
  readonly action: Action;
  readonly target?: ActionTarget | undefined;
  readonly value?: WantedValue | undefined;
  /** The drop target of a drag. */
  readonly to?: ActionTarget | undefined;
}

type Act = (context: ActionContext, interaction: Interaction) => Promise<Receipt>;

const requireTarget = ({ action, target }: Interaction): ActionTarget => {
  if (!target)
    throw fail('invalid_argument', `${action} needs a target: "ref", "selector" or "query".`, {
      argument: 'ref',
    });
  return target;
};

const requireValue = ({ action, value }: Interaction): WantedValue => {
  if (value === undefined)
    throw fail('invalid_argument', `${action} needs "value".`, { argument: 'value' });
  return value;
};

/** The value of a click names the keys that are held meanwhile: "Control+Shift". */
const click =
  (did: string, press: Press): Act =>
  (context, interaction) => {
    const keys = joinTexts(interaction.value ?? '').trim();
    const withKeys: Press = keys === '' ? press : { ...press, modifiers: parseModifiers(keys) };
    return perform(context, {
      did: keys === '' ? did : `${did} with ${keys}`,
      target: requireTarget(interaction),
      needs: { needs: { pointer: true, enabled: true } },
      input: ({ point }) =>
        sendMouse(context.tab.cdp, clickEvents(point, withKeys), context.signal),
      presses: true,
      settling: 'frame',
    });
  };

const hover: Act = (context, interaction) =>
  perform(context, {
    did: 'hovered',
    target: requireTarget(interaction),
    needs: { needs: { pointer: true } },
    input: async ({ point }) => {
      await makeVisible(context.tab, context.signal);
      await sendMouse(context.tab.cdp, [moveTo(point)], context.signal);
    },
    settling: 'frame',
  });

const focus: Act = (context, interaction) =>
  perform(context, {
    did: 'focused',
    target: requireTarget(interaction),
    needs: { needs: { enabled: true }, select: 'focus' },
    input: async () => {},
    settling: 'task',
    verify: (reached, seen) => {
      if (!seen.hasFocus)
        throw fail(
          'not_editable',
          `${reached.target.ref} ${reached.target.role} cannot be focused.`,
          { ref: reached.target.ref },
        );
    },
  });

/** Types into the target, or into the focused element if no target is given. */
const type: Act = (context, interaction) => {
  const text = joinTexts(requireValue(interaction));
  const { tab, signal } = context;
  const { target } = interaction;
  const send = ({ secret }: { readonly secret?: true }, filled = text): Promise<void> => {
    if (secret) context.learnSecret(filled);
    return typeText(tab.cdp, filled, signal);
  };
  if (!target) return performOnPage(context, 'typed', send);
  return perform(context, {
    did: 'typed into',
    target,
    needs: {
      needs: { enabled: true, editable: true },
      purpose: 'field',
      select: 'end',
      reads: true,
    },
    input: async ({ frame, ready }) => send(ready, await context.fillSecrets(text, frame)),
    settling: 'task',
  });
};

const fillWith =
  (did: string, valueFrom: (interaction: Interaction) => WantedValue): Act =>
  (context, interaction) => {
    let wanted = valueFrom(interaction);
    return perform(context, {
      did,
      target: requireTarget(interaction),
      needs: {
        needs: { enabled: true, editable: true },
        purpose: 'field',
        select: 'all',
        reads: true,
      },
      input: async (reached) => {
        wanted = await enterValue(context, createFormField(reached), wanted);
      },
      settling: 'task',
      verify: (reached, seen) => checkHeld(wanted)(reached, seen),
    });
  };

const checkHeld =
  (wanted: WantedValue) =>
  (reached: Reached, { held }: ObservedEffects): void => {
    // The value of a field that the page replaced cannot be read back, so it is not checked.
    if (held !== undefined) requireFieldValue(createFormField(reached), wanted, held);
  };

const select: Act = (context, interaction) => {
  let wanted = requireValue(interaction);
  return perform(context, {
    did: 'selected in',
    target: requireTarget(interaction),
    needs: { needs: { enabled: true }, purpose: 'field', reads: true },
    input: async (reached) => {
      wanted = await enterValue(context, selectable(createFormField(reached)), wanted);
    },
    settling: 'task',
    verify: (reached, seen) => checkHeld(wanted)(reached, seen),
  });
};

const SELECTABLE = new Set(['select', 'multiselect', 'aria-choice']);

const selectable = <
  F extends {
    readonly kind: string;
    readonly name: { readonly ref?: string; readonly role: string };
  },
>(
  field: F,
): F => {
  // A text field with suggestions has the role combobox; a button that opens a list has no field
  // kind.
  if (SELECTABLE.has(field.kind)) return field;
  if (field.kind === 'none' || field.name.role === 'combobox')
    return { ...field, kind: 'aria-choice' };
  throw fail('not_editable', `${field.name.ref} ${field.name.role} is not a list to select from.`, {
    ref: field.name.ref,
  });
};

const setCheck =
  (wanted: boolean): Act =>
  (context, interaction) =>
    perform(context, {
      did: wanted ? 'checked' : 'unchecked',
      target: requireTarget(interaction),
      needs: { needs: { pointer: true, enabled: true }, purpose: 'check', reads: true },
      already: ({ ready }) => ready.checked === wanted,
      input: ({ point }) => sendMouse(context.tab.cdp, clickEvents(point), context.signal),
      presses: true,
      settling: 'frame',
      verify: checkHeld(wanted),
    });

const press: Act = (context, interaction) => {
  const text = joinTexts(requireValue(interaction));
  const chords = parseChords(text);
  const { tab, signal } = context;
  const send = async (): Promise<void> => {
    for (const chord of chords) await pressChord(tab.cdp, chord, signal);
  };
  const { target } = interaction;
  if (!target) return performOnPage(context, `pressed ${text}`, send);
  return perform(context, {
    did: `pressed ${text} in`,
    target,
    needs: { needs: { enabled: true }, select: 'focus' },
    input: send,
    settling: 'frame',
  });
};

/**
 * Copies all text of the target, or the selection. If nothing is selected, returns the text that
 * the page put onto the clipboard.
 */
const copy: Act = async (context, { target }) => {
  const send = (): Promise<void> => pressCopy(context);
  const needs = { needs: {}, select: 'all' } as const;
  const receipt = await (target
    ? perform(context, { did: 'copied from', target, needs, input: send, settling: 'task' })
    : performOnPage(context, 'pressed copy', send));
  if (receipt.effects.copied !== undefined) return receipt;
  const copied = target ? undefined : await readCopied(context, context.tab.frames.main);
  if (copied === undefined)
    throw fail(
      'nothing_copied',
      `Nothing was copied${textIf(target, ': the element contains no selectable text')}.`,
    );
  noteCopied(context, copied);
  return { ...receipt, did: 'read the clipboard', effects: { ...receipt.effects, copied } };
};

const paste: Act = (context, { target, value }) => {
  const text = ifDefined(value, joinTexts);
  if (!target)
    return performOnPage(context, 'pasted', ({ secret }) => {
      if (secret && text !== undefined) context.learnSecret(text);
      return pasteText(context, context.tab.frames.all(), text);
    });
  return perform(context, {
    did: 'pasted into',
    target,
    needs: { needs: { enabled: true }, purpose: 'field', select: 'end', reads: true },
    input: ({ frame, ready }) => {
      if (ready.secret && text !== undefined) context.learnSecret(text);
      return pasteText(context, [frame], text);
    },
    settling: 'frame',
  });
};

const TABLE: Readonly<Record<Action, Act>> = {
  click: click('clicked', {}),
  double_click: click('double-clicked', { count: 2 }),
  right_click: click('right-clicked', { button: 'right' }),
  hover,
  focus,
  type,
  fill: fillWith('filled', requireValue),
  select,
  check: setCheck(true),
  uncheck: setCheck(false),
  press,
  scroll: (context, { target, value }) => scroll(context, target, ifDefined(value, joinTexts)),
  drag: (context, interaction) => {
    if (!interaction.to)
      throw fail('invalid_argument', 'drag needs "value": the ref of the element to drop on.', {
        argument: 'value',
      });
    return drag(context, requireTarget(interaction), interaction.to);
  },
  upload: (context, interaction) =>
    upload(context, requireTarget(interaction), requireValue(interaction)),
  drop_files: (context, interaction) =>
    dropFiles(context, requireTarget(interaction), requireValue(interaction)),
  clear: fillWith('cleared', () => ''),
  copy,
  paste,
};

/**
 * Actions that enter their value into their target, so the value may name a secret. Paste is not
 * one of them, because the value would remain on the clipboard.
 */
const FILLING: ReadonlySet<Action> = new Set(['type', 'fill', 'select']);

export const interact = async (
  context: ActionContext,
  interaction: Interaction,
): Promise<Receipt> => {
  const { action, target, value } = interaction;
  // throws if the value names a secret
  if (value !== undefined && !(target && FILLING.has(action))) await fillSecretsIn(context, value);
  return TABLE[action](context, interaction);
};
