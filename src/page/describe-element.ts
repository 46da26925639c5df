// Describes single elements: for refs, to check a ref before it is used, and for selector matches.
import { Labels } from './element-relations.ts';
import { describeStates, readElementValue } from './element-values.ts';
import { computeFingerprint, Fingerprinter } from './fingerprint.ts';
import { assignId, findElement, isHere } from './state.ts';
import { computeName, type NameCache } from './names.ts';
import { compact, defined } from './objects.ts';
import type { ElementSummary, RefTarget } from './read-answers.ts';
import { computeRole, CONTROL_ROLES, inputType } from './roles.ts';
import { localName, matches, queryAll, type Root } from './safe-dom.ts';
import { isPlainCss, selectAll } from './selectors.ts';
import { getShadowRoot, trees } from './shadow.ts';
import { GeneratedContent } from './style.ts';
import { shortLine, textIf } from './visible-text.ts';
import type { IdentifiedElement, WalkedElement } from './walk-record.ts';

const describe = (element: Element, known: NameCache): WalkedElement => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  return { id: assignId(element), role, name: computeName(element, tag, role, known).text };
};

const createNameCache = (): NameCache => ({
  generated: new GeneratedContent(),
  labels: new Labels(),
});

/** The elements that match, in shadow trees too, at most `limit` of them. */
export const select = (selector: string, limit: number): WalkedElement[] => {
  const known = createNameCache();
  if (!isPlainCss(selector))
    return selectAll(trees(), selector)
      .slice(0, limit)
      .map((one) => describe(one, known));
  const found: WalkedElement[] = [];
  const search = (root: Root): void => {
    for (const element of queryAll(root, '*')) {
      if (found.length >= limit) return;
      if (matches(element, selector)) found.push(describe(element, known));
      const inner = getShadowRoot(element);
      if (inner) search(inner);
    }
  };
  search(document);
  return found;
};

const MAX_NAME_CHARS = 200;

/** The element of a ref as it is now; null if it has left the document. */
export const identify = (id: number): IdentifiedElement | null => {
  const found = element(id);
  if (!found) return null;
  const { role, name } = describe(found, createNameCache());
  const text =
    name === '' && !CONTROL_ROLES.has(role)
      ? shortLine(found.textContent.slice(0, 1000), MAX_NAME_CHARS)
      : name;
  return { id, role: role === '' ? 'clickable' : role, name: text, ...computeFingerprint(found) };
};

/** The element with this id, for the debugger; null if it has left the document. */
export const element = (id: number): Element | null => {
  const found = findElement(id);
  return found && isHere(found) ? found : null;
};

// Describes elements that get a ref: id, role, name, fingerprint, states and value.

/** Describes elements in the same way as a walk, so that refs from both are the same. */
export class Describer {
  readonly #known: NameCache = { generated: new GeneratedContent(), labels: new Labels() };

  readonly #fingerprinter = new Fingerprinter();

  target(element: Element): RefTarget {
    const tag = localName(element);
    const role = computeRole(element, tag);
    const name = computeName(element, tag, role, this.#known).text;
    const fingerprint = this.#fingerprinter.compute(element);
    return {
      id: assignId(element),
      role,
      name,
      fingerprint,
      beside: this.#fingerprinter.describeRow(element),
    };
  }

  item(element: Element, note?: string): ElementSummary {
    const tag = localName(element);
    const target = this.target(element);
    return defined({
      ...target,
      role: target.role || tag,
      states: describeStates(element, tag, target.role),
      value: readSafeValue(element, tag, target.role),
      ...compact({ note }),
    });
  }
}

/** The value of an element; of a password field only whether it is filled in. */
const readSafeValue = (element: Element, tag: string, role: string): string => {
  const isSecret = tag === 'input' && inputType(element) === 'password';
  if (!isSecret) return readElementValue(element, tag, role);
  return textIf((element as HTMLInputElement).value !== '', '(filled in)');
};
