// Maps controls to their labels and elements to their aria-owns owner, once per tree.
import { getOrCreate } from './objects.ts';
import { attribute, byIds, closest, contains, getRoot, queryAll, type Root } from './safe-dom.ts';

export class Labels {
  readonly #byRoot = new Map<Node, Map<Element, Element[]>>();

  of(control: Element): readonly Element[] | undefined {
    const root = getRoot(control);
    const labels = getOrCreate(this.#byRoot, root, () => gather(root as Root));
    return labels.get(control);
  }
}

const gather = (root: Root): Map<Element, Element[]> => {
  const found = new Map<Element, Element[]>();
  for (const label of queryAll(root, 'label')) {
    const { control } = label as HTMLLabelElement;
    if (control) getOrCreate(found, control, (): Element[] => []).push(label);
  }
  return found;
};

// Finds the elements that aria-owns moves to another parent, once per tree.

export class ElementOwners {
  readonly #byRoot = new Map<Node, ReadonlyMap<Element, Element>>();

  /** Maps the owned elements of the element's tree to their owners. */
  inTreeOf(element: Element): ReadonlyMap<Element, Element> {
    const root = getRoot(element);
    return getOrCreate(this.#byRoot, root, () => findOwners(root as Root));
  }
}

/**
 * Hidden owners do not count, hidden elements are not moved, and the first of several owners wins.
 */
export const findOwners = (
  root: Root,
  isEligible: (owner: Element) => boolean = () => true,
): Map<Element, Element> => {
  const owners = new Map<Element, Element>();
  for (const owner of queryAll(root, '[aria-owns]')) {
    if (!isEligible(owner) || isHiddenOwner(owner)) continue;
    for (const owned of byIds(owner, 'aria-owns'))
      if (!owners.has(owned) && !contains(owned, owner) && owned.checkVisibility())
        owners.set(owned, owner);
  }
  return owners;
};

const isHiddenOwner = (owner: Element): boolean =>
  !owner.checkVisibility({ visibilityProperty: true }) ||
  attribute(owner, 'inert') !== null ||
  closest(owner, '[aria-hidden=true]') !== null;
