// Observes a page for its user without changing it: fields with secrets, the element that an action
// works on, and typed text.
import type { ElementArea, SecretArea } from '../call-answers.ts';
import { mapToParent } from '../act/frame-points.ts';
import { implement } from '../page-functions.ts';
import { isSecretField } from '../recorder/send.ts';
import { attributeText, getRect, getTextContent, queryAll, type Root } from '../safe-dom.ts';
import { trees } from '../shadow.ts';
import { assignId, findElement, isHere } from '../state.ts';

const FIELDS = 'input, textarea';
/** In a page with very many fields only these are examined. */
const MARKED_FIELDS = 'input[type=password i], input[autocomplete], textarea[autocomplete]';
const MAX_FIELDS = 3_000;
/** A page with more secrets than this in its window is hidden as a whole. */
const MAX_AREAS = 50;

/** Fields that once were password fields stay secret when the page reveals their text. */
const once = new WeakSet<Element>();

const HINTS = /passw|passcode|passphrase|kennwort|mot de passe/i;

/** A page may have revealed a password before a viewer watched: its texts still name it. */
const isDescribedAsSecret = (field: Element): boolean =>
  HINTS.test(`${attributeText(field, 'placeholder')} ${attributeText(field, 'aria-label')}`);

const isSecret = (field: Element): boolean => {
  if (isSecretField(field) || isDescribedAsSecret(field)) once.add(field);
  return once.has(field);
};

/** Hidden fields that pages with many forms contain are skipped before their area is measured. */
const isText = (field: Element): boolean =>
  !(field instanceof HTMLInputElement) || !['hidden', 'submit', 'button'].includes(field.type);

/** Positions are relative to the part of the page that a zoomed window shows. */
const measure = (element: Element): ElementArea => {
  const { x, y, width, height } = getRect(element);
  const { offsetLeft = 0, offsetTop = 0 } = visualViewport ?? {};
  return { x: x - offsetLeft, y: y - offsetTop, width, height };
};

const isInView = ({ x, y, width, height }: ElementArea): boolean =>
  width > 0 && height > 0 && x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;

/** Looking for shadow roots visits many elements, and this runs for every picture. */
const TREES_MS = 500;
let knownTrees: { readonly at: number; readonly roots: Root[] } | undefined;

const listTrees = (): Root[] => {
  const now = performance.now();
  if (!knownTrees || now - knownTrees.at > TREES_MS) knownTrees = { at: now, roots: trees() };
  return knownTrees.roots;
};

const listFields = (tree: Root): readonly Element[] => {
  const all = queryAll(tree, FIELDS);
  return [...(all.length > MAX_FIELDS ? queryAll(tree, MARKED_FIELDS) : all)];
};

const findSecretAreas = (): SecretArea[] => {
  const areas = listTrees()
    .flatMap(listFields)
    .filter((field) => isText(field) && isSecret(field))
    .map((field) => ({ id: assignId(field), ...measure(field) }))
    .filter(isInView);
  if (areas.length <= MAX_AREAS) return areas;
  return [{ id: 0, x: 0, y: 0, width: innerWidth, height: innerHeight }];
};

/** Null if the element has left the document. */
const measureElement = (id: number): ElementArea | null => {
  const element = findElement(id);
  return element && isHere(element) ? measure(element) : null;
};

/** Converts areas of the iframe with this id to areas of this page; none if it was removed. */
const mapAreasThroughFrame = (
  owner: number,
  areas: readonly ElementArea[],
): readonly ElementArea[] => {
  const element = findElement(owner);
  if (!(element instanceof HTMLElement) || !isHere(element)) return [];
  return areas.map((area) => mapArea(element, area));
};

/** The iframe does not show the parts of an area that are outside of it. */
const mapArea = (owner: HTMLElement, { x, y, width, height }: ElementArea): ElementArea => {
  const right = Math.min(x + width, owner.clientWidth);
  const bottom = Math.min(y + height, owner.clientHeight);
  const start = mapToParent(owner, { x: Math.max(0, x), y: Math.max(0, y) });
  const end = mapToParent(owner, { x: right, y: bottom });
  const { offsetLeft = 0, offsetTop = 0 } = visualViewport ?? {};
  return {
    x: start.x - offsetLeft,
    y: start.y - offsetTop,
    width: Math.max(0, end.x - start.x),
    height: Math.max(0, end.y - start.y),
  };
};

/** The engine adds it for a hand-off, in this world only: the page cannot see it. */
declare const __oc_typed: ((value: string) => void) | undefined;

const MAX_TYPED_CHARS = 2_000;
let isWatched = false;

const reportTyped = (event: Event): void => {
  const [field] = event.composedPath();
  if (!event.isTrusted || typeof __oc_typed !== 'function' || !(field instanceof HTMLElement))
    return;
  const { value } = field as HTMLElement & { readonly value?: unknown };
  const text = typeof value === 'string' ? value : getTextContent(field);
  __oc_typed(text.slice(0, MAX_TYPED_CHARS));
};

/** Reports the value of each field that the user changes, while the engine listens. */
const watchTyping = (): void => {
  if (!isWatched) addEventListener('input', reportTyped, { capture: true, passive: true });
  isWatched = true;
};

export const functions = implement('live', {
  watchTyping,
  findSecretAreas,
  measureElement,
  mapAreasThroughFrame,
});
