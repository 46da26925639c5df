// Options of comboboxes and listboxes that are not native select elements.
import { defined, ifDefined } from '../objects.ts';
import { attribute, byIds, localName, queryAll } from '../safe-dom.ts';
import { findElement, assignId, isHere } from '../state.ts';
import { isSeen, trees } from '../match-words.ts';
import { oneLine } from '../visible-text.ts';
import type { Chosen, FoundOption, FieldValue } from './act-answers.ts';
import { createKnown, nameText } from './describe-target.ts';
import { chooseOptions, readFieldValue, setPicked } from './form-fields.ts';
import { change } from './rhythm.ts';

const OPTIONS = '[role=option],[role=menuitemradio],[role=menuitem],[role=treeitem],[role=radio]';
const MAX_NAMED = 40;

/**
 * The visible options of a combobox: those of the list that it references, else its descendants,
 * else all visible options of the page.
 */
const findOptions = (box: Element): Element[] => {
  const lists = [...byIds(box, 'aria-controls'), ...byIds(box, 'aria-owns')];
  const inner = queryAll(box, '[aria-controls],[aria-owns]');
  for (const element of inner)
    lists.push(...byIds(element, 'aria-controls'), ...byIds(element, 'aria-owns'));
  const named = lists.flatMap((list) => [...queryAll(list, OPTIONS)]).filter(isSeen);
  if (named.length > 0) return named;
  const own = [...queryAll(box, OPTIONS)].filter(isSeen);
  if (own.length > 0) return own;
  return trees()
    .flatMap((root) => [...queryAll(root, OPTIONS)])
    .filter(isSeen);
};

const matchOption = (box: Element, wanted: string): FoundOption => {
  const known = createKnown();
  const options = findOptions(box);
  const names = options.map((option) => nameText(option, known) || oneLine(option.textContent));
  const text = oneLine(wanted);
  const exact = names.indexOf(text);
  const at =
    exact >= 0 ? exact : names.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  const byValue =
    at >= 0 ? at : options.findIndex((option) => attribute(option, 'data-value') === wanted);
  const found = options[byValue];
  return defined({ available: names.slice(0, MAX_NAMED), id: ifDefined(found, assignId) });
};

/** Waits for an option with this name or value. */
export const findOption = async (
  boxId: number,
  wanted: string,
  maxMs: number,
): Promise<FoundOption> => {
  const endsAt = performance.now() + maxMs;
  for (;;) {
    const box = findElement(boxId);
    const found: FoundOption = box ? matchOption(box, wanted) : { available: [] };
    const left = endsAt - performance.now();
    if (found.id !== undefined || left <= 0) return found;
    await change(Math.min(left, 100));
  }
};

/** Whether the list of a combobox is open. */
export const isOpen = (id: number): boolean => {
  const box = findElement(id);
  return (
    box !== undefined &&
    (attribute(box, 'aria-expanded') === 'true' || attribute(box, 'role') === 'listbox')
  );
};

/** The current value of a field. */
export const readChoices = (id: number): FieldValue | undefined => {
  const element = findElement(id);
  return element && isHere(element) ? readFieldValue(element) : undefined;
};

export const choose = (id: number, wanted: readonly string[]): Chosen => {
  const select = findElement(id);
  if (!select || localName(select) !== 'select') return { missing: wanted, available: [] };
  return chooseOptions(select as HTMLSelectElement, wanted) ?? {};
};

/** Returns the value in the format that the field stores. */
export const pick = (id: number, value: string): string => {
  const element = findElement(id);
  return element ? setPicked(element, value) : value;
};
