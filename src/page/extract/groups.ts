// Finds groups of elements with the same structure (results, cards, entries), best first.
import { attributeText, localName, parentNode, queryAll, type Root } from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import type { RecordGroup } from './extract-answers.ts';
import { classNames, collectLeaves, isShown } from './leaves.ts';

const MAX_ELEMENTS = 60_000;
const MAX_GROUPS = 8;
const MAX_ITEMS = 5000;
const MAX_LEAVES = 60;
const NEVER = new Set(
  (
    'html head body script style br hr option td th thead tbody tfoot col source path g span b ' +
    'i em strong meta link p svg wbr'
  ).split(' '),
);

/** Tag, role and the descriptive classes. */
const signature = (element: Element): string =>
  [
    localName(element),
    attributeText(element, 'role'),
    ...classNames(element).slice(0, 3).sort(),
  ].join('.');

export const readGroups = (scope: Element | Root): RecordGroup[] => {
  const buckets = new Map<string, Element[]>();
  const visit = (root: Element | Root): void => {
    let seen = 0;
    for (const element of queryAll(root, '*')) {
      if (++seen > MAX_ELEMENTS) return;
      const inner = getShadowRoot(element);
      if (inner) visit(inner);
      if (NEVER.has(localName(element))) continue;
      const key = buildGroupKey(element);
      const bucket = buckets.get(key);
      if (bucket) bucket.push(element);
      else buckets.set(key, [element]);
    }
  };
  visit(scope);
  const candidates = [...buckets]
    .filter(([, elements]) => elements.length >= 2)
    .map(([label, elements]) => ({ label, elements, weight: computeWeight(elements) }));
  const best = candidates
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_GROUPS);
  return best.map(({ label, elements }) =>
    buildGroup(label.slice(label.indexOf(' > ') + 3), elements),
  );
};

/**
 * The group key: signatures of the element, its parent and its grandparent. Elements of several
 * similar rows are one group.
 */
const buildGroupKey = (element: Element): string => {
  const parent = parentNode(element);
  const above = parent && parentNode(parent);
  return [above, parent, element]
    .map((node) => (node instanceof Element ? signature(node) : ''))
    .join(' > ');
};

/** The average amount of content per element, weighted by the number of elements. */
const computeWeight = (elements: readonly Element[]): number => {
  const sample = elements.slice(0, 5).filter(isShown);
  const rich = sample.map((element) => {
    const parts = Math.min(element.querySelectorAll('*').length, 40);
    const chars = Math.min(element.textContent.trim().length, 400);
    return parts === 0 || chars === 0 ? 0 : Math.sqrt(parts) * Math.log2(chars + 2);
  });
  if (rich.length === 0) return 0;
  return (
    (rich.reduce((sum, value) => sum + value, 0) / rich.length) * Math.log2(elements.length + 1)
  );
};

export const buildGroup = (label: string, elements: readonly Element[]): RecordGroup => ({
  label: label.replace(/\.(?=\.|$| )/g, ''),
  items: elements
    .filter(isShown)
    .slice(0, MAX_ITEMS)
    .map((element) => collectLeaves(element, MAX_LEAVES)),
});
