// Describes elements that get a ref: id, role, name, fingerprint, states and value.
import { compact, defined } from './defined.ts';
import { localName } from './safe-dom.ts';
import { Fingerprinter } from './fingerprint.ts';
import { assignId } from './ids.ts';
import { Labels } from './labels.ts';
import type { ElementSummary, RefTarget } from './read-answers.ts';
import { type NameCache, computeName } from './names.ts';
import { inputType, computeRole } from './roles.ts';
import { describeStates } from './states.ts';
import { GeneratedContent } from './style.ts';
import { readElementValue } from './element-values.ts';
import { textIf } from './words.ts';

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
