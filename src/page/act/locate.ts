// Finds the one element that a spec identifies; reports if none or several match.
import { defined, valueIf } from '../objects.ts';
import { attribute, localName, queryAll } from '../safe-dom.ts';
import { findElement, isHere } from '../state.ts';
import { Fingerprinter } from '../fingerprint.ts';
import { isSameElement } from '../fingerprint-text.ts';
import { pickBest, isSeen, matchWords, nearMisses, trees } from '../match-words.ts';
import { computeRole } from '../roles.ts';
import { selectAll } from '../selectors.ts';
import { getShadowRoot } from '../shadow.ts';
import { oneLine } from '../visible-text.ts';
import type { LocatedElements, Problem, Purpose, Spec } from './act-answers.ts';
import { createKnown, describe, focusedElement, nameText } from './describe-target.ts';
import { fieldKind, resolveField } from './form-fields.ts';

const HIDDEN_PURPOSES = new Set<string>(['any', 'file']);

const MAX_CANDIDATES = 8;

const CHECKABLE = new Set(['checkbox', 'radio', 'aria-check']);

const fits =
  (purpose: Purpose) =>
  (element: Element): boolean => {
    if (HIDDEN_PURPOSES.has(purpose)) return true;
    const kind = fieldKind(resolveField(element));
    return purpose === 'check' ? CHECKABLE.has(kind) : kind !== 'none';
  };

export const isProblem = (found: Element | Problem): found is Problem =>
  !(found instanceof Element);

/** Whether the element of a ref is still the one that was shown; true for other specs. */
export const isAsShown = (
  { id, fingerprint }: Spec,
  fingerprinter = new Fingerprinter(),
): boolean => {
  const element = id === undefined ? undefined : findElement(id);
  if (!element || fingerprint === undefined) return true;
  return isSameElement(fingerprint, fingerprinter.compute(element));
};

export const locate = (spec: Spec, purpose: Purpose): Element | Problem => {
  if (spec.id !== undefined) return findById(spec.id);
  if (spec.selector !== undefined) return findBySelector(spec.selector);
  if (spec.query !== undefined) return findByWords(spec.query, purpose);
  if (spec.label !== undefined) return findByLabel(spec.label);
  if (spec.name !== undefined) return findByName(spec.name);
  return (
    focusedElement(getShadowRoot) ?? {
      problem: 'not_found',
      detail: 'no element has the focus',
    }
  );
};

const findById = (id: number): Element | Problem => {
  const element = findElement(id);
  return element && isHere(element) ? element : { problem: 'stale' };
};

const findBySelector = (selector: string): Element | Problem => {
  let found: readonly Element[];
  try {
    found = selectAll([document], selector);
    if (found.length === 0) found = selectAll(trees(), selector);
  } catch {
    return { problem: 'bad_selector' };
  }
  return pickOne(found);
};

/** The only match, or the only visible match. */
const pickOne = (found: readonly Element[]): Element | Problem => {
  if (found.length <= 1) return found[0] ?? { problem: 'not_found' };
  const seen = found.filter(isSeen);
  if (seen.length === 1) return seen[0] as Element;
  return ambiguous(seen.length > 0 ? seen : found);
};

const ambiguous = (found: readonly Element[]): Problem => {
  const known = createKnown();
  return {
    problem: 'ambiguous',
    candidates: found.slice(0, MAX_CANDIDATES).map((element) => describe(element, known)),
    total: found.length,
  };
};

const notFound = (words: string, wanted: Purpose): Problem => {
  const near = nearMisses(words, 5, { accept: fits(wanted) });
  const known = createKnown();
  const candidates = near.map((element) => describe(element, known));
  return defined({
    problem: 'not_found',
    wanted,
    candidates: valueIf(near.length > 0, candidates),
  });
};

const findByWords = (words: string, purpose: Purpose): Element | Problem => {
  const best = pickBest(matchWords(words, fits(purpose)));
  if (best.length === 0) return notFound(words, purpose);
  return best.length === 1 ? (best[0] as Element) : ambiguous(best);
};

/** The best matches of this frame, for a search across frames. */
export const find = (spec: Spec, purpose: Purpose): LocatedElements | Problem => {
  const known = createKnown();
  const answer = (elements: readonly Element[], rank: number): LocatedElements => ({
    rank,
    total: elements.length,
    elements: elements.slice(0, MAX_CANDIDATES).map((element) => describe(element, known)),
  });
  if (spec.query !== undefined) {
    const matches = matchWords(spec.query, fits(purpose));
    return matches[0] ? answer(pickBest(matches), matches[0].rank) : notFound(spec.query, purpose);
  }
  const found = locate(spec, purpose);
  return isProblem(found) ? found : answer([found], 0);
};

const FIELDS = 'input:not([type=hidden]),textarea,select,[contenteditable],[role]';

/** Finds a field by its label, or a group of radio buttons by its legend. */
const findByLabel = (label: string): Element | Problem => {
  const matches = matchWords(label, fits('field'));
  const called = pickBest(matches.filter(({ rank }) => rank <= 1));
  const group = called.length === 0 ? findGroupByLabel(label) : undefined;
  if (group) return group;
  const best = called.length > 0 ? called : pickBest(matches);
  if (best.length === 0) return notFound(label, 'field');
  return best.length === 1 ? (best[0] as Element) : ambiguous(best);
};

const GROUPS = new Set(['group', 'radiogroup']);

const findGroupByLabel = (label: string): Element | undefined => {
  const wanted = oneLine(label).toLowerCase();
  const known = createKnown();
  for (const root of trees()) {
    for (const element of queryAll(root, 'fieldset,[role=group],[role=radiogroup]')) {
      if (
        GROUPS.has(computeRole(element, localName(element))) &&
        nameText(element, known).toLowerCase() === wanted
      )
        return element;
    }
  }
  return undefined;
};

/**
 * Finds a field by its name attribute, else by its id. Radio buttons with one name count as one
 * field.
 */
const findByName = (name: string): Element | Problem => {
  const fields = trees().flatMap((root) => [...queryAll(root, FIELDS)]);
  const named = fields.filter((field) => attribute(field, 'name') === name);
  const found =
    named.length > 0 ? named : fields.filter((field) => attribute(field, 'id') === name);
  const [first] = found;
  if (first && found.every((field) => fieldKind(field) === 'radio')) return first;
  return pickOne(found);
};
