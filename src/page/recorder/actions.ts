// Records user actions (clicks, input, selections, keys, drags, scrolling) as repeatable steps.
import { compact, defined, listIf, valueIf } from '../objects.ts';
import { localName, matches } from '../safe-dom.ts';
import { locate, findMeantElement } from './locator.ts';
import type { Locator, RecordedModifier, PageAction } from './messages.ts';
import { isSecretField, MASK, send } from './send.ts';

/** After this pause, typed text is reported as a step. */
const TYPING_PAUSE_MS = 1000;
const SCROLL_REST_MS = 300;
/** A scroll within this time after a wheel, key or touch event is a user action. */
const SCROLL_MEANT_MS = 600;
const MAX_VALUE_CHARS = 20_000;
const DRAG_PX = 12;

/** Fields that are not typed into; their change event is recorded. */
const CHOSEN =
  'select,input:is([type=file],[type=color],[type=date],[type=datetime-local],[type=month],' +
  '[type=time],[type=week],[type=range])';
const BOX = 'input:is([type=checkbox],[type=radio])';
const TEXT =
  'textarea,input:not([type=checkbox],[type=radio],[type=file],[type=button],[type=submit],' +
  '[type=reset],[type=image],[type=hidden])';
/** Keys that edit text; the resulting value is recorded instead. */
const EDITING = new Set(['Backspace', 'Delete', 'ArrowLeft', 'ArrowRight', 'Home', 'End']);
const SILENT = new Set([
  'Shift',
  'Control',
  'Alt',
  'Meta',
  'CapsLock',
  'Dead',
  'Process',
  'Unidentified',
  'AltGraph',
  'NumLock',
]);

interface Typing {
  readonly element: HTMLElement;
  made: boolean;
  timer: ReturnType<typeof setTimeout>;
}

let typing: Typing | undefined;
let pressed: { readonly element: Element; readonly x: number; readonly y: number } | undefined;
let dragged: Element | undefined;
let hoveredElement: Element | undefined;
let keyAt = 0;
let moveAt = 0;
let scrollTimer: ReturnType<typeof setTimeout> | undefined;

let before: () => void = () => {};

/** Sets a function to call before each action is sent, so that messages stay in order. */
export const reportAfter = (act: () => void): void => void (before = act);

const sendAction = (
  action: PageAction,
  facts: { made?: boolean; meant?: boolean; at?: number } = {},
): void => {
  before();
  send(
    defined({
      kind: 'action',
      at: facts.at ?? Date.now(),
      action,
      ...compact({ made: facts.made, meant: facts.meant }),
    }),
  );
};

/** The event target, also inside open shadow roots. */
const getTarget = (event: Event): Element | undefined => {
  const [first] = event.composedPath();
  return first instanceof Element ? first : undefined;
};

const readModifiers = (event: MouseEvent | KeyboardEvent): { modifiers?: RecordedModifier[] } => {
  const held = (
    [
      ['Alt', event.altKey],
      ['Control', event.ctrlKey],
      ['Meta', event.metaKey],
      ['Shift', event.shiftKey],
    ] as const
  ).flatMap(([name, down]) => listIf(down, name));
  return held.length > 0 ? { modifiers: held } : {};
};

const isEditable = (element: Element): boolean =>
  matches(element, TEXT) || (element as HTMLElement).isContentEditable;

/** The outermost contenteditable element. */
const editedElement = (element: Element): HTMLElement => {
  let at = element as HTMLElement;
  while (at.parentElement?.isContentEditable) at = at.parentElement;
  return at;
};

const textIn = (element: HTMLElement): string =>
  (matches(element, TEXT) ? (element as HTMLInputElement).value : element.innerText).slice(
    0,
    MAX_VALUE_CHARS,
  );

/** Reports the text that is being typed, before the next action. */
const endTyping = (): void => {
  if (!typing) return;
  const { element, made, timer } = typing;
  clearTimeout(timer);
  typing = undefined;
  const value = textIn(element);
  const secret = isSecretField(element);
  // Values from scripts are not sent as secrets: a script could hide any text that way.
  if (secret && !made && value !== '') send({ kind: 'secret', value, origin: self.origin });
  sendAction(
    defined({
      kind: 'fill',
      target: locate(element),
      value: secret ? MASK : value,
      ...compact({ secret }),
    }),
    { made },
  );
};

const onInput = (event: Event): void => {
  const target = getTarget(event);
  if (!target || matches(target, CHOSEN) || !isEditable(target)) return;
  const element = editedElement(target);
  if (typing && typing.element !== element) endTyping();
  if (typing) clearTimeout(typing.timer);
  const made = (typing?.made ?? true) && !event.isTrusted;
  typing = { element, made, timer: setTimeout(endTyping, TYPING_PAUSE_MS) };
};

const onChange = (event: Event): void => {
  const target = getTarget(event);
  if (!target) return;
  const made = !event.isTrusted;
  if (matches(target, BOX))
    sendAction(
      { kind: 'check', target: locate(target), checked: (target as HTMLInputElement).checked },
      { made },
    );
  else if (localName(target) === 'select') {
    const values = [...(target as HTMLSelectElement).selectedOptions].map(({ value }) => value);
    sendAction({ kind: 'select', target: locate(target), values }, { made });
  } else if (matches(target, 'input[type=file]')) {
    const files = [...((target as HTMLInputElement).files ?? [])].map(({ name }) => name);
    sendAction({ kind: 'upload', target: locate(target), files }, { made });
  } else if (matches(target, CHOSEN))
    sendAction(
      { kind: 'fill', target: locate(target), value: (target as HTMLInputElement).value },
      { made },
    );
  else endTyping();
};

/** The position inside an image or canvas; other elements need none. */
const readSpot = (
  element: Element,
  { clientX, clientY }: MouseEvent,
): Pick<Extract<PageAction, { kind: 'click' }>, 'spot'> => {
  if (!matches(element, 'canvas,img,svg,map,area,video')) return {};
  const { left, top } = element.getBoundingClientRect();
  const { clientLeft: borderX, clientTop: borderY } = element;
  return {
    spot: { x: Math.round(clientX - left), y: Math.round(clientY - top), borderX, borderY },
  };
};

/** The buttons that are recorded; the left one is the default. */
const BUTTONS = new Map<number, 'right' | 'middle'>([
  [1, 'middle'],
  [2, 'right'],
]);

const onClick = (event: MouseEvent): void => {
  const target = getTarget(event);
  // Clicks from a key or a script have a count of 0. The key is recorded itself, and the script
  // runs again on replay.
  if (!target || !event.isTrusted || event.detail === 0) return;
  endTyping();
  const element = findMeantElement(target);
  if (matches(element, CHOSEN) || matches(target, 'option')) return;
  sendAction(
    defined({
      kind: 'click',
      target: locate(element),
      button: BUTTONS.get(event.button),
      count: valueIf(event.detail > 1, event.detail),
      ...readModifiers(event),
      ...readSpot(element, event),
    }),
  );
};

const onKeyDown = (event: KeyboardEvent): void => {
  if (!event.isTrusted || event.repeat) return;
  keyAt = Date.now();
  const { key } = event;
  const target = getTarget(event);
  if (!target || SILENT.has(key) || event.isComposing) return;
  const command = event.ctrlKey || event.metaKey || (event.altKey && key.length > 1);
  if (
    isEditable(target) &&
    !command &&
    (key.length === 1 || EDITING.has(key) || (key === 'Enter' && isMultiline(target)))
  )
    return;
  // Clipboard and undo shortcuts depend on local state; the resulting value is recorded instead.
  if (isEditable(target) && command && /^[acvxyz]$/i.test(key)) return;
  endTyping();
  const hasFocus = target !== document.body && target !== document.documentElement;
  const { modifiers } = readModifiers(event);
  const held = key.length === 1 ? modifiers?.filter((name) => name !== 'Shift') : modifiers;
  sendAction(
    defined({
      kind: 'press',
      key,
      target: hasFocus ? locate(target) : undefined,
      modifiers: held && held.length > 0 ? held : undefined,
    }),
  );
};

const isMultiline = (element: Element): boolean =>
  localName(element) === 'textarea' || (element as HTMLElement).isContentEditable;

const onDown = (event: MouseEvent): void => {
  const target = getTarget(event);
  pressed =
    target && event.isTrusted && event.button === 0
      ? { element: findMeantElement(target), x: event.clientX, y: event.clientY }
      : undefined;
};

/**
 * Records a drag if the mouse is released over another element. In text fields this selects text,
 * and sliders report a change.
 */
const onUp = (event: MouseEvent): void => {
  const from = pressed;
  pressed = undefined;
  const target = getTarget(event);
  if (!from || !target || !event.isTrusted || matches(from.element, `${TEXT},${CHOSEN}`)) return;
  if (
    Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_PX ||
    from.element === findMeantElement(target)
  )
    return;
  if (!document.getSelection()?.isCollapsed) return;
  sendAction({ kind: 'drag', target: locate(from.element), to: locate(findMeantElement(target)) });
};

const onDrop = (event: DragEvent): void => {
  const target = getTarget(event);
  pressed = undefined;
  if (dragged && target && event.isTrusted)
    sendAction({ kind: 'drag', target: locate(dragged), to: locate(target) });
  dragged = undefined;
};

const onScroll = (event: Event): void => {
  if (event.target !== document) return;
  clearTimeout(scrollTimer);
  const at = Date.now();
  const meantToScroll = at - Math.max(moveAt, keyAt) < SCROLL_MEANT_MS;
  scrollTimer = setTimeout(
    () =>
      sendAction(
        { kind: 'scroll', x: Math.round(scrollX), y: Math.round(scrollY) },
        { meant: meantToScroll, at },
      ),
    SCROLL_REST_MS,
  );
};

/** Locator of the element under the pointer, for a hover step. */
export const findHovered = (): Locator | undefined =>
  hoveredElement?.isConnected ? locate(findMeantElement(hoveredElement)) : undefined;

/** Starts to listen; returns a function that stops it. */
export const listenToActions = (): (() => void) => {
  const ended = new AbortController();
  const on = <K extends keyof WindowEventMap>(
    name: K,
    heard: (event: WindowEventMap[K]) => void,
  ): void => addEventListener(name, heard, { capture: true, passive: true, signal: ended.signal });
  on('click', onClick);
  on('auxclick', onClick);
  on('input', onInput);
  on('change', onChange);
  on('blur', () => endTyping());
  on('keydown', onKeyDown);
  on('mousedown', onDown);
  on('mouseup', onUp);
  on('dragstart', (event) => (dragged = event.isTrusted ? getTarget(event) : undefined));
  on('drop', onDrop);
  on('dragend', () => (dragged = undefined));
  on('mouseover', (event) => (hoveredElement = getTarget(event)));
  on('wheel', () => (moveAt = Date.now()));
  on('touchmove', () => (moveAt = Date.now()));
  on('scroll', onScroll);
  on('pagehide', () => endTyping());
  return () => {
    endTyping();
    ended.abort();
  };
};
