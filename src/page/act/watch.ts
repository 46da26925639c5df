// Watches a document from the moment before an action until what it set off has come to rest, and
// says what was seen.
import { defined } from '../defined.ts';
import { attribute, hasAttribute, isElement, localName, queryAll, getRoot } from '../safe-dom.ts';
import { isHere } from '../ids.ts';
import { judgePresses, PRESSES } from '../entries/press.ts';
import { inputType, computeRole } from '../roles.ts';
import { getShadowRoot } from '../shadow.ts';
import { describeStates } from '../states.ts';
import { shortLine, shortLines } from '../visible-text.ts';
import { readElementValue } from '../element-values.ts';
import { CHANGED } from '../call-answers.ts';
import type { Announcement, Point, Seen, Settling, WatchedFocus } from './act-answers.ts';
import { handleCopied } from './clipboard.ts';
import { composedParent, describe, focusedElement, isInside, nameText } from './describe-target.ts';
import { pageBody, pageRoot } from './document.ts';
import { fieldKind, resolveField, readFieldValue, isChecked } from './form-fields.ts';
import { pathMeets } from './hit.ts';
import { change, frame, observeEverything, task, timer } from './rhythm.ts';
import { createLookupTable } from '../lookup-table.ts';
import { transitionsEnd } from './transitions.ts';

/** Known in the page's own process only. */
declare const __oc_tell: ((what: string) => void) | undefined;

const LIVE = createLookupTable<string>({
  alert: 'alert',
  alertdialog: 'dialog',
  dialog: 'dialog',
  status: 'status',
  log: 'log',
  timer: 'timer',
});
const TAKES_TEXT = new Set([
  'text',
  'number',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
  'editor',
]);
const MAX_TOLD = 4;
const MAX_TEXT = 160;
const MAX_VALUE_CHARS = 1000;
/** How many changes are looked into for live regions; beyond that they are only counted. */
const MAX_INSPECTED = 2000;
/** An answer that is not in the page's records by then is none of this document. */
const HANDED_WITHIN_MS = 100;
/**
 * How often a watch tells that the page changed; one that changes more often never rests, which is
 * found out otherwise.
 */
const MAX_TELLS = 50;
/** After a transition the page is given this long to come to rest. */
const AFTER_TRANSITION_MS = 250;
/** A watch that nobody asks about again ends by itself. */
const FORGOTTEN_AFTER_MS = 60_000;

interface Before {
  readonly focus: Element | undefined;
  readonly states: string;
  readonly value: string;
  readonly scroll: Point;
}

class Watch {
  changes = 0;
  #inspected = 0;
  #tells = 0;
  /** How many changes the last look at the page showed. */
  #shown = 0;
  readonly #target: Element | undefined;
  readonly #reads: boolean;
  /** What a press must meet. */
  #aim: Element | undefined;
  readonly #before: Before;
  readonly #observer: MutationObserver;
  readonly #regions = new Map<Element, string>();
  readonly #invalid = new Map<Element, string>();
  readonly #end = new AbortController();
  /** Addresses whose answers have arrived in full. */
  readonly #fetched = new Set<string>();
  readonly #resources = new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) this.#fetched.add(name.split('#')[0] ?? '');
    this.#onFetched();
  });
  #onFetched: () => void = () => {};
  #copied: string | undefined;
  #guard: 'off' | 'armed' | 'met' | 'missed' = 'off';
  #missed: Element | undefined;
  #judged: Event | undefined;
  /**
   * Begins with the release of the pointer, so that the first frame after it is not waited for
   * twice.
   */
  #firstRound: Promise<boolean> | undefined;

  /** On the document's timeline: animations that start later belong to the action. */
  readonly #startedAt = Number(document.timeline.currentTime ?? 0);
  /** Dialogs and live regions that were visible before the action. */
  readonly #visibleBefore = new Set<Element>();
  /**
   * Dialogs and live regions with changed content, unlike those of which only attributes changed.
   */
  readonly #rewritten = new Set<Element>();

  constructor(
    readonly id: number,
    target: Element | undefined,
    reads: boolean,
  ) {
    this.#target = target;
    this.#reads = reads;
    this.#before = {
      focus: focusedElement(getShadowRoot),
      ...(target ? lookOf(target) : { states: '', value: '' }),
      scroll: scrollNow(),
    };
    for (const region of findRegions()) if (isSeen(region)) this.#visibleBefore.add(region);
    this.#observer = new MutationObserver((records) => this.#count(records));
    observeEverything(this.#observer, [document, ...(target ? rootsAround(target) : [])]);
    const { signal } = this.#end;
    addEventListener('invalid', (event) => this.#refused(event), { capture: true, signal });
    handleCopied((text) => (this.#copied = text), signal);
    judgePresses((event) => this.#press(event));
    // A document that was written anew has lost the listeners that it began with.
    for (const name of PRESSES)
      addEventListener(name, (event) => this.#press(event), { capture: true, signal });
    this.#resources.observe({ type: 'resource' });
    const forget = setTimeout(() => this.end(), FORGOTTEN_AFTER_MS);
    signal.addEventListener('abort', () => clearTimeout(forget));
  }

  end(): void {
    this.#end.abort();
    judgePresses(undefined);
    this.#observer.disconnect();
    this.#resources.disconnect();
  }

  /** From now on the next press must meet this element. */
  guard(aim: Element): void {
    this.#aim = aim;
    this.#guard = 'armed';
    this.#missed = undefined;
  }

  /** A press that would meet something else than the target is kept from the page. */
  #press(event: Event): void {
    if (!event.isTrusted || !this.#aim || event === this.#judged) return;
    this.#judged = event;
    if (this.#guard === 'armed' && event.type.endsWith('down')) {
      const path = event.composedPath();
      const met = pathMeets(path, this.#aim);
      this.#guard = met ? 'met' : 'missed';
      if (!met) this.#missed = path[0] instanceof Element ? path[0] : undefined;
    }
    if (this.#guard === 'missed') {
      event.stopImmediatePropagation();
      event.preventDefault();
    } else if (event.type === 'mouseup') this.#firstRound = this.#round();
  }

  #refused({ target }: Event): void {
    if (target instanceof Element && this.#invalid.size < MAX_TOLD)
      this.#invalid.set(target, (target as HTMLInputElement).validationMessage ?? '');
  }

  #count(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    this.changes += records.length;
    // In its place among Chrome's own events: what follows the answer of a request is told after
    // it.
    if (this.#tells++ < MAX_TELLS && typeof __oc_tell === 'function')
      __oc_tell(`${CHANGED}${clockNow()}`);
    for (const record of records) {
      if (++this.#inspected > MAX_INSPECTED) return;
      this.#inspect(record);
    }
  }

  #inspect({ target, type, addedNodes, attributeName }: MutationRecord): void {
    if (
      type === 'attributes' &&
      !(
        attributeName === 'open' ||
        attributeName === 'role' ||
        attributeName === 'hidden' ||
        attributeName === 'class' ||
        attributeName === 'style' ||
        attributeName === 'aria-hidden'
      )
    )
      return;
    const region = regionAround(target);
    this.#note(region);
    if (type === 'attributes') return;
    if (region) this.#rewritten.add(region[0]);
    for (const node of addedNodes) {
      if (!isElement(node)) continue;
      this.#note(regionAround(node));
      const inner = node.querySelector(
        '[role=alert],[role=status],[role=dialog],[role=alertdialog],[role=log],[aria-live],dialog,output',
      );
      if (inner) this.#note(regionAround(inner));
    }
  }

  #note(region: readonly [element: Element, role: string] | undefined): void {
    if (region && this.#regions.size < 20) this.#regions.set(region[0], region[1]);
  }

  /** One beat without a change: what was set to run at once has run, and the page was drawn. */
  async #round(): Promise<boolean> {
    await Promise.all([frame(), timer().then(() => timer())]);
    const before = this.#changesNow();
    await task();
    return this.#changesNow() === before;
  }

  #changesNow(): number {
    this.#count(this.#observer.takeRecords());
    return this.changes;
  }

  /** Until the page has come to rest, or the time is up. */
  async rest(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs;
    let quiet = await (this.#firstRound ?? this.#round());
    this.#firstRound = undefined;
    while (!quiet && performance.now() < endsAt) quiet = await this.#round();
  }

  /**
   * Until the page has been handed these answers; the network is done with them before the page is.
   */
  async handed(urls: readonly string[]): Promise<void> {
    const all = (): boolean => urls.every((url) => this.#fetched.has(url));
    if (all()) return;
    await new Promise<void>((resolve) => {
      const stop = setTimeout(resolve, HANDED_WITHIN_MS);
      this.#onFetched = () => {
        if (!all()) return;
        clearTimeout(stop);
        resolve();
      };
    });
    this.#onFetched = () => {};
  }

  /** Until what an answer set off has run. No frame is waited for where it shows already. */
  async restAfterAnswer(maxMs: number, shown: boolean): Promise<void> {
    const endsAt = performance.now() + maxMs;
    let quiet = await this.#beat();
    if (!shown && this.changes === this.#shown) return this.rest(maxMs);
    while (!quiet && performance.now() < endsAt) quiet = await this.#beat();
  }

  /** What was set to run at once has run; whether nothing changed after it. */
  async #beat(): Promise<boolean> {
    await timer();
    await timer();
    const before = this.#changesNow();
    await task();
    return this.#changesNow() === before;
  }

  /** Right after what waits to run has run, without a frame, unless something changed. */
  async restIfChanged(maxMs: number): Promise<void> {
    await task();
    if (this.#changesNow() > 0) await this.rest(maxMs);
  }

  /** Until anything changes, or the time is up. */
  async stir(maxMs: number): Promise<void> {
    const from = this.#changesNow();
    if (from > 0) return;
    await change(maxMs);
  }

  /**
   * Until finite transitions and animations that the action started have ended, and what follows
   * them has run.
   */
  async afterTransitions(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs;
    for (let left = maxMs; left > 0; left = endsAt - performance.now()) {
      if (!(await transitionsEnd(this.#target, this.#startedAt, left))) return;
      await this.rest(Math.min(left, AFTER_TRANSITION_MS));
    }
  }

  seen(): Seen {
    const changes = this.#changesNow();
    this.#shown = changes;
    return defined({
      at: clockNow(),
      changes,
      announcements: this.#announcements(),
      invalid: [...this.#invalid].map(([element, message]) => ({
        element: describe(element),
        message: shortLine(message, MAX_TEXT),
      })),
      copied: this.#copied,
      ...this.#focusNow(),
      ...this.#targetNow(),
      missed:
        this.#missed || this.#guard === 'missed' ? describe(this.#missed ?? pageRoot()) : undefined,
      pressed: this.#guard === 'met' ? true : undefined,
      ...this.#scrollNow(),
    });
  }

  #announcements(): Announcement[] {
    const told: Announcement[] = [];
    for (const [element, role] of this.#regions) {
      if (
        told.length >= MAX_TOLD ||
        !isHere(element) ||
        !isSeen(element) ||
        this.#isOld(element, role)
      )
        continue;
      const text = role === 'dialog' ? nameText(element) || textOf(element) : textOf(element);
      if (text !== '') told.push({ role, text: shortLine(text, MAX_TEXT) });
    }
    return told;
  }

  /**
   * A dialog that was open before is not news, nor is a live region of which only attributes
   * changed: it may be fading out.
   */
  #isOld(element: Element, role: string): boolean {
    return this.#visibleBefore.has(element) && (role === 'dialog' || !this.#rewritten.has(element));
  }

  #focusNow(): Pick<Seen, 'focus' | 'focused' | 'hasFocus'> {
    const focus = focusedElement(getShadowRoot);
    const has =
      focus && this.#target && isInside(focus, this.#target) ? { hasFocus: true as const } : {};
    if (!focus || focus === this.#before.focus) return has;
    if (focus !== this.#target) return { ...has, focus: describe(focus) };
    // a pressed button always has it: no news
    return TAKES_TEXT.has(fieldKind(focus)) ? { ...has, focused: true } : has;
  }

  #targetNow(): Pick<Seen, 'states' | 'value' | 'held' | 'checked'> {
    const target = this.#target;
    if (!target || !isHere(target)) return {};
    const checked = isChecked(target);
    const { states, value } = lookOf(target);
    const gained = words(states).filter((word) => !words(this.#before.states).includes(word));
    const lost = words(this.#before.states).filter((word) => !words(states).includes(word));
    const changed = [
      ...gained,
      ...lost
        .filter((word) => !opposed(word, gained))
        .map((word) => (word === 'invalid' ? 'valid' : `not ${word}`)),
    ];
    return defined({
      states: changed.length > 0 ? changed : undefined,
      value: value === this.#before.value && (!this.#reads || value === '') ? undefined : value,
      held: this.#reads ? readFieldValue(target) : undefined,
      checked,
    });
  }

  #scrollNow(): { scrolledTo?: Point } {
    const { x, y } = scrollNow();
    return x === this.#before.scroll.x && y === this.#before.scroll.y
      ? {}
      : { scrolledTo: { x, y } };
  }
}

/** A clock that all frames share. */
const clockNow = (): number => performance.timeOrigin + performance.now();

const words = (text: string): string[] => text.split(' ').filter(Boolean);

/** A state that is told by its opposite: what is collapsed is no longer expanded. */
const opposed = (lost: string, gained: readonly string[]): boolean =>
  (lost === 'expanded' || lost === 'collapsed') &&
  gained.some((word) => word === 'expanded' || word === 'collapsed');

const lookOf = (element: Element): { states: string; value: string } => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  return { states: describeStates(element, tag, role), value: readValue(element, tag, role) };
};

/** Text of several lines keeps its line breaks. */
const readValue = (element: Element, tag: string, role: string): string => {
  if (fieldKind(element) === 'editor') return shortLines(String(readFieldValue(element)), MAX_TEXT);
  return tag === 'textarea'
    ? shortLines((element as HTMLTextAreaElement).value, MAX_VALUE_CHARS)
    : readElementValue(element, tag, role);
};

const scrollNow = (): Point => ({ x: Math.round(scrollX), y: Math.round(scrollY) });

const textOf = (element: Element): string =>
  ((element as HTMLElement).innerText ?? element.textContent ?? '').slice(0, MAX_TEXT * 4);

const rootsAround = (element: Element): Node[] => {
  const roots: Node[] = [];
  for (let root = getRoot(element); root instanceof ShadowRoot; root = getRoot(root.host))
    roots.push(root);
  return roots;
};

const REGIONS =
  'dialog[open],[role=dialog],[role=alertdialog],[role=alert],[role=status],[role=log],[role=timer],[aria-live],output';
const MAX_REGIONS = 50;

const findRegions = (): Element[] => {
  const found: Element[] = [];
  for (const region of queryAll(document, REGIONS)) if (found.push(region) >= MAX_REGIONS) break;
  return found;
};

const isSeen = (element: Element): boolean =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

/** The live region or dialog in which a node stands. */
const regionAround = (node: Node): readonly [Element, string] | undefined => {
  for (
    let at: Element | undefined = isElement(node) ? node : composedParent(node);
    at;
    at = composedParent(at)
  ) {
    const role = attribute(at, 'role');
    const live = role === null ? undefined : LIVE[role];
    if (live !== undefined) return [at, live];
    const tag = localName(at);
    if (tag === 'output') return [at, 'status'];
    if (tag === 'dialog' && hasAttribute(at, 'open')) return [at, 'dialog'];
    const politeness = attribute(at, 'aria-live');
    if (politeness === 'polite' || politeness === 'assertive')
      return [at, politeness === 'assertive' ? 'alert' : 'status'];
  }
  return undefined;
};

let current: Watch | undefined;
let lastId = 0;

/** Begins a watch; the one before it ends. */
export const beginWatch = (target?: Element, reads = false): number => {
  current?.end();
  current = new Watch(++lastId, target, reads);
  return current.id;
};

/** Begins a watch on the element that has the focus, which may be an editable body. */
export const watchFocused = (): WatchedFocus => {
  const body = pageBody();
  const focused = focusedElement(getShadowRoot) ?? (body?.isContentEditable ? body : undefined);
  const field = focused && fieldKind(focused) === 'editor' ? resolveField(focused) : focused;
  const watch = beginWatch(field);
  if (!field) return { watch };
  const tag = localName(field);
  return defined({
    watch,
    element: describe(field),
    frame: tag === 'iframe' || tag === 'frame' ? true : undefined,
    secret: inputType(field) === 'password' ? true : undefined,
  });
};

/** The next press must meet this element, or is kept from the page. */
export const guardPress = (id: number, aim: Element): void => {
  if (current?.id === id) current.guard(aim);
};

const LOST: Seen = { lost: true, at: 0, changes: 0, announcements: [], invalid: [] };

/**
 * What was seen, after the page has come to rest in the way asked for. The watch goes on until
 * `end`.
 */
export const settleWatch = async (
  id: number,
  how: Settling,
  maxMs: number,
  end: boolean,
  answered: readonly string[] = [],
  transitionsMs = 0,
): Promise<Seen> => {
  const watch = current;
  if (watch?.id !== id) return LOST;
  if (answered.length > 0) await watch.handed(answered);
  if (how === 'frame') await watch.rest(maxMs);
  else if (how === 'task') await watch.restIfChanged(maxMs);
  else if (how === 'shown' || how === 'answer') await watch.restAfterAnswer(maxMs, how === 'shown');
  else if (how === 'stir') await watch.stir(maxMs);
  if (transitionsMs > 0 && how !== 'task') await watch.afterTransitions(transitionsMs);
  const seen = watch.seen();
  if (end) watch.end();
  return seen;
};
