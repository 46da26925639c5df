// Observes the effects of an action on a document until the page has settled.
import { compact, createLookupTable, defined } from '../objects.ts';
import {
  attributeText,
  getRoot,
  hasAttribute,
  isElement,
  localName,
  pageBody,
  pageRoot,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { isHere } from '../state.ts';
import { judgePresses, PRESSES } from '../entries/press.ts';
import { inputType, computeRole } from '../roles.ts';
import { getShadowRoot, composedParent, isInside } from '../shadow.ts';
import { describeStates, readExactValue } from '../element-values.ts';
import { shortLine, shortLines, shortValue } from '../visible-text.ts';
import { CHANGED } from '../call-answers.ts';
import type {
  Announcement,
  Point,
  ObservedEffects,
  Settling,
  WatchedFocus,
} from './act-answers.ts';
import { handleCopied } from './clipboard.ts';
import { describe, focusedElement, nameText } from './describe-target.ts';
import { fieldKind, resolveField, readFieldValue, isChecked } from './form-fields.ts';
import { pathIncludes } from './hit.ts';
import {
  change,
  frame,
  frameScriptsEnd,
  observeEverything,
  task,
  timer,
  transitionsEnd,
} from './rhythm.ts';
import { textBefore } from '../words.ts';
import { FRAME_TAGS } from '../element-kinds.ts';

const EXPANSION_WORDS = new Set<string>(['expanded', 'collapsed']);

/** Undefined in frames of other processes. */
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
/** Attributes whose change can show or hide a live region. */
const SHOWING_ATTRIBUTES = new Set<string | null>([
  'open',
  'role',
  'hidden',
  'class',
  'style',
  'aria-hidden',
]);
const MAX_REPORTED = 4;
const MAX_TEXT = 160;
const MAX_VALUE_CHARS = 1000;
/** Number of DOM changes that are searched for live regions. Further changes are only counted. */
const MAX_INSPECTED = 2000;
/** How long to wait for the resource timing entry of a response. */
const HANDED_WITHIN_MS = 100;
/** Number of change reports that a watch sends. A page with more changes never settles. */
const MAX_TELLS = 50;
/** How long to wait for the page to settle after a transition. */
const AFTER_TRANSITION_MS = 250;
/** A watch ends after this time if the caller does not end it. */
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
  /** Value of `changes` at the last observation. */
  #shown = 0;
  readonly #target: Element | undefined;
  readonly #reads: boolean;
  /** The element that the next press must hit. */
  #aim: Element | undefined;
  readonly #before: Before;
  readonly #observer: MutationObserver;
  readonly #regions = new Map<Element, string>();
  readonly #invalid = new Map<Element, string>();
  readonly #end = new AbortController();
  /** URLs whose responses are complete. */
  readonly #fetched = new Set<string>();
  readonly #resources = new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) this.#fetched.add(textBefore(name, '#'));
    this.#onFetched();
  });
  #onFetched: () => void = () => {};
  #copied: string | undefined;
  #guard: 'off' | 'armed' | 'met' | 'missed' = 'off';
  #missed: Element | undefined;
  #judged: Event | undefined;
  /** Starts when the pointer is released, so that the first frame is not waited for twice. */
  #firstRound: Promise<boolean> | undefined;

  /** Start time on the document's timeline; animations that start later belong to the action. */
  readonly #startedAt = Number(document.timeline.currentTime ?? 0);
  /** Dialogs and live regions that were visible before the action. */
  readonly #visibleBefore = new Set(findRegions().filter(isSeen));
  /** The document and the shadow roots of changed elements, which may animate their content. */
  readonly #animatedTrees = new Set<Root>([document]);
  /** Dialogs and live regions whose content changed, not only their attributes. */
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
      ...(target ? readLook(target) : { states: '', value: '' }),
      scroll: scrollNow(),
    };
    this.#observer = new MutationObserver((records) => this.#count(records));
    observeEverything(this.#observer, [document, ...(target ? findShadowRoots(target) : [])]);
    const { signal } = this.#end;
    addEventListener('invalid', (event) => this.#refused(event), { capture: true, signal });
    handleCopied((text) => (this.#copied = text), signal);
    judgePresses((event) => this.#press(event));
    // document.open() removes the listeners that were installed at document start.
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

  /** The next press must hit this element. */
  guard(aim: Element): void {
    this.#aim = aim;
    this.#guard = 'armed';
    this.#missed = undefined;
  }

  /** Blocks a press that would hit an element other than the target. */
  #press(event: Event): void {
    if (!event.isTrusted || !this.#aim || event === this.#judged) return;
    this.#judged = event;
    if (this.#guard === 'armed' && event.type.endsWith('down')) {
      const path = event.composedPath();
      const met = pathIncludes(path, this.#aim);
      this.#guard = met ? 'met' : 'missed';
      if (!met) this.#missed = path[0] instanceof Element ? path[0] : undefined;
    }
    if (this.#guard === 'missed') {
      event.stopImmediatePropagation();
      event.preventDefault();
    } else if (event.type === 'mouseup') this.#firstRound = this.#round();
  }

  #refused({ target }: Event): void {
    if (target instanceof Element && this.#invalid.size < MAX_REPORTED)
      this.#invalid.set(target, (target as HTMLInputElement).validationMessage ?? '');
  }

  #count(records: readonly MutationRecord[]): void {
    if (records.length === 0) return;
    this.changes += records.length;
    // A binding call keeps its order among the CDP events, so it arrives after the response that
    // caused the change.
    if (this.#tells++ < MAX_TELLS && typeof __oc_tell === 'function')
      __oc_tell(`${CHANGED}${clockNow()}`);
    for (const record of records) {
      if (++this.#inspected > MAX_INSPECTED) return;
      this.#inspect(record);
    }
  }

  #inspect({ target, type, addedNodes, attributeName }: MutationRecord): void {
    const root = isElement(target) ? getShadowRoot(target) : null;
    if (root) this.#animatedTrees.add(root);
    if (type === 'attributes' && !SHOWING_ATTRIBUTES.has(attributeName)) return;
    const region = findRegion(target);
    this.#note(region);
    if (type === 'attributes') return;
    if (region) this.#rewritten.add(region[0]);
    for (const node of addedNodes) {
      if (!isElement(node)) continue;
      this.#note(findRegion(node));
      const inner = node.querySelector(
        '[role=alert],[role=status],[role=dialog],[role=alertdialog],[role=log],' +
          '[aria-live],dialog,output',
      );
      if (inner) this.#note(findRegion(inner));
    }
  }

  #note(region: readonly [element: Element, role: string] | undefined): void {
    if (region && this.#regions.size < 20) this.#regions.set(region[0], region[1]);
  }

  /**
   * Waits for a frame and pending timers. Returns whether the DOM stayed the same in the rest of
   * the frame's scripts, or in the next task if nothing has changed yet.
   */
  async #round(): Promise<boolean> {
    await Promise.all([frame(), timer().then(() => timer())]);
    const before = this.#changesNow();
    // A frame that shows changes is not waited for: a large page takes long to paint.
    await (before > 0 ? frameScriptsEnd() : task());
    return this.#changesNow() === before;
  }

  #changesNow(): number {
    this.#count(this.#observer.takeRecords());
    return this.changes;
  }

  /** Waits until the page has settled or the time is up. */
  async rest(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs;
    const quiet = await (this.#firstRound ?? this.#round());
    this.#firstRound = undefined;
    await repeatUntil(endsAt, quiet, () => this.#round());
  }

  /** Waits until the page has received these responses; the network reports them earlier. */
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

  /**
   * Waits for the handlers of a response. Waits for frames only if the response has not changed the
   * page yet.
   */
  async restAfterAnswer(maxMs: number, shown: boolean): Promise<void> {
    const endsAt = performance.now() + maxMs;
    const quiet = await this.#beat();
    if (!shown && this.changes === this.#shown) return this.rest(maxMs);
    await repeatUntil(endsAt, quiet, () => this.#beat());
  }

  /** Waits for pending timers. Returns whether the DOM stayed the same in the next task. */
  async #beat(): Promise<boolean> {
    await timer();
    await timer();
    const before = this.#changesNow();
    await task();
    return this.#changesNow() === before;
  }

  /** Flushes pending tasks; waits for frames only if the DOM has changed. */
  async restIfChanged(maxMs: number): Promise<void> {
    await task();
    if (this.#changesNow() > 0) await this.rest(maxMs);
  }

  /** Waits until the DOM changes or the time is up. */
  async stir(maxMs: number): Promise<void> {
    const from = this.#changesNow();
    if (from > 0) return;
    await change(maxMs);
  }

  /**
   * Waits until the finite animations that the action started have ended and the page has settled.
   */
  async afterTransitions(maxMs: number): Promise<void> {
    const endsAt = performance.now() + maxMs;
    for (let left = maxMs; left > 0; left = endsAt - performance.now()) {
      const trees = this.#animatedTrees;
      if (!(await transitionsEnd(trees, this.#target, this.#startedAt, left))) return;
      await this.rest(Math.min(left, AFTER_TRANSITION_MS));
    }
  }

  seen(): ObservedEffects {
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
      ...compact({ pressed: this.#guard === 'met' }),
      ...this.#scrollNow(),
    });
  }

  #announcements(): Announcement[] {
    const announcements: Announcement[] = [];
    for (const [element, role] of this.#regions) {
      if (
        announcements.length >= MAX_REPORTED ||
        !isHere(element) ||
        !isSeen(element) ||
        this.#isOld(element, role)
      )
        continue;
      const text =
        role === 'dialog' ? nameText(element) || readRegionText(element) : readRegionText(element);
      if (text !== '') announcements.push({ role, text: shortLine(text, MAX_TEXT) });
    }
    return announcements;
  }

  /**
   * A dialog that was already open is not reported, nor is a live region of which only attributes
   * changed: it may be fading out.
   */
  #isOld(element: Element, role: string): boolean {
    return this.#visibleBefore.has(element) && (role === 'dialog' || !this.#rewritten.has(element));
  }

  #focusNow(): Pick<ObservedEffects, 'focus' | 'focused' | 'hasFocus'> {
    const focus = focusedElement(getShadowRoot);
    const has =
      focus && this.#target && isInside(focus, this.#target) ? { hasFocus: true as const } : {};
    if (!focus || focus === this.#before.focus) return has;
    if (focus !== this.#target) return { ...has, focus: describe(focus) };
    // a pressed button always gets the focus: not reported
    return TAKES_TEXT.has(fieldKind(focus)) ? { ...has, focused: true } : has;
  }

  #targetNow(): Pick<ObservedEffects, 'states' | 'value' | 'held' | 'checked'> {
    const target = this.#target;
    if (!target || !isHere(target)) return {};
    const checked = isChecked(target);
    const { states, value } = readLook(target);
    const gained = words(states).filter((word) => !words(this.#before.states).includes(word));
    const lost = words(this.#before.states).filter((word) => !words(states).includes(word));
    const changed = [
      ...gained,
      ...lost
        .filter((word) => !hasOpposite(word, gained))
        .map((word) => (word === 'invalid' ? 'valid' : `not ${word}`)),
    ];
    return defined({
      ...compact({ states: changed }),
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

/** Repeats the round until the page is quiet or the time is up. */
const repeatUntil = async (
  endsAt: number,
  quiet: boolean,
  round: () => Promise<boolean>,
): Promise<void> => {
  for (let done = quiet; !done && performance.now() < endsAt;) done = await round();
};

/** Milliseconds since the Unix epoch; comparable across frames. */
const clockNow = (): number => performance.timeOrigin + performance.now();

const words = (text: string): string[] => text.split(' ').filter(Boolean);

/** `collapsed` already implies `not expanded`, and the reverse. */
const hasOpposite = (lost: string, gained: readonly string[]): boolean =>
  EXPANSION_WORDS.has(lost) && gained.some((word) => EXPANSION_WORDS.has(word));

const readLook = (element: Element): { states: string; value: string } => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  return { states: describeStates(element, tag, role), value: readValue(element, tag, role) };
};

/** Multi-line text keeps its line breaks. */
const readValue = (element: Element, tag: string, role: string): string => {
  if (fieldKind(element) === 'editor') return shortLines(String(readFieldValue(element)), MAX_TEXT);
  return tag === 'textarea'
    ? shortValue((element as HTMLTextAreaElement).value, MAX_VALUE_CHARS)
    : readExactValue(element, tag, role);
};

const scrollNow = (): Point => ({ x: Math.round(scrollX), y: Math.round(scrollY) });

const readRegionText = (element: Element): string =>
  ((element as HTMLElement).innerText ?? element.textContent).slice(0, MAX_TEXT * 4);

const findShadowRoots = (element: Element): Node[] => {
  const roots: Node[] = [];
  for (let root = getRoot(element); root instanceof ShadowRoot; root = getRoot(root.host))
    roots.push(root);
  return roots;
};

/** One query each: in a large page, one query for a list of selectors takes three times as long. */
const REGIONS = ['dialog[open]', 'output', '[aria-live]'];
const MAX_REGIONS = 50;

const findRegions = (): Element[] => {
  const [...withRole] = queryAll(document, '[role]');
  const found = withRole.filter((element) => LIVE[attributeText(element, 'role')] !== undefined);
  for (const selector of REGIONS) found.push(...queryAll(document, selector));
  return found.slice(0, MAX_REGIONS);
};

const isSeen = (element: Element): boolean =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

/** The live region or dialog that contains the node, with its role. */
const findRegion = (node: Node): readonly [Element, string] | undefined => {
  for (
    let at: Element | undefined = isElement(node) ? node : composedParent(node);
    at;
    at = composedParent(at)
  ) {
    const role = LIVE[attributeText(at, 'role')] ?? findNativeRole(at);
    if (role !== undefined) return [at, role];
  }
  return undefined;
};

/** The role of a live region or dialog that has no role attribute. */
const findNativeRole = (element: Element): string | undefined => {
  const tag = localName(element);
  if (tag === 'output') return 'status';
  if (tag === 'dialog' && hasAttribute(element, 'open')) return 'dialog';
  return POLITENESS[attributeText(element, 'aria-live')];
};

const POLITENESS = createLookupTable<string>({ polite: 'status', assertive: 'alert' });

let current: Watch | undefined;
let lastId = 0;

/** Starts a watch and ends the previous one. */
export const beginWatch = (target?: Element, reads = false): number => {
  current?.end();
  current = new Watch(++lastId, target, reads);
  return current.id;
};

/** Starts a watch on the focused element, which may be an editable body. */
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
    ...compact({ frame: FRAME_TAGS.has(tag), secret: inputType(field) === 'password' }),
  });
};

/** The next press must hit this element; any other press is blocked. */
export const guardPress = (id: number, aim: Element): void => {
  if (current?.id === id) current.guard(aim);
};

/** How to wait for the effects of an action. */
const WAITS: Readonly<Partial<Record<Settling, (watch: Watch, maxMs: number) => Promise<void>>>> = {
  frame: (watch, maxMs) => watch.rest(maxMs),
  task: (watch, maxMs) => watch.restIfChanged(maxMs),
  shown: (watch, maxMs) => watch.restAfterAnswer(maxMs, true),
  answer: (watch, maxMs) => watch.restAfterAnswer(maxMs, false),
  stir: (watch, maxMs) => watch.stir(maxMs),
};

const LOST: ObservedEffects = { lost: true, at: 0, changes: 0, announcements: [], invalid: [] };

/** Waits in the way that `how` selects, then returns the observed effects. The watch continues. */
export const settleWatch = async (
  id: number,
  how: Settling,
  maxMs: number,
  answered: readonly string[] = [],
  transitionsMs = 0,
): Promise<ObservedEffects> => {
  const watch = current;
  if (watch?.id !== id) return LOST;
  if (answered.length > 0) await watch.handed(answered);
  await WAITS[how]?.(watch, maxMs);
  if (transitionsMs > 0 && how !== 'task') await watch.afterTransitions(transitionsMs);
  return watch.seen();
};

export const endWatch = (id: number): void => {
  if (current?.id === id) current.end();
};
