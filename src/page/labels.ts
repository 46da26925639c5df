// Maps controls to their labels, once per tree: `control.labels` would search the page each time.
import { getOrCreate } from './objects.ts';
import { queryAll, getRoot, type Root } from './safe-dom.ts';

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
    if (!control) continue;
    const labels = found.get(control);
    if (labels) labels.push(label);
    else found.set(control, [label]);
  }
  return found;
};
