// Finds the elements that aria-owns moves to another parent, once per tree.
import { attribute, byIds, closest, contains, queryAll, getRoot, type Root } from './safe-dom.ts';

export class Owners {
  readonly #byRoot = new Map<Node, ReadonlyMap<Element, Element>>();

  /** Maps the owned elements of the element's tree to their owners. */
  inTreeOf(element: Element): ReadonlyMap<Element, Element> {
    const root = getRoot(element);
    let owners = this.#byRoot.get(root);
    if (!owners) this.#byRoot.set(root, (owners = findOwners(root as Root)));
    return owners;
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
