// What is told about an element that is given a ref.
import { localName } from './dom.ts';
import { Fingerprinter } from './fingerprint.ts';
import { idOf } from './ids.ts';
import { Labels } from './labels.ts';
import type { Item, Target } from './look-answers.ts';
import { type Known, nameOf } from './names.ts';
import { inputType, roleOf } from './roles.ts';
import { statesOf } from './states.ts';
import { GeneratedContent } from './style.ts';
import { valueOf } from './values.ts';

/** Describes elements as the walk does, so that a ref means the same whoever gave it. */
export class Describer {
  readonly #known: Known = { generated: new GeneratedContent(), labels: new Labels() };

  readonly #fingerprinter = new Fingerprinter();

  target(element: Element): Target {
    const tag = localName(element);
    const role = roleOf(element, tag);
    const name = nameOf(element, tag, role, this.#known).text;
    const fingerprint = this.#fingerprinter.compute(element);
    return { id: idOf(element), role, name, fingerprint, beside: this.#fingerprinter.describeRow(element) };
  }

  item(element: Element, note?: string): Item {
    const tag = localName(element);
    const target = this.target(element);
    const isSecret = tag === 'input' && inputType(element) === 'password';
    const value = isSecret ? ((element as HTMLInputElement).value === '' ? '' : '(filled in)') : valueOf(element, tag, target.role);
    return { ...target, role: target.role || tag, states: statesOf(element, tag, target.role), value, ...(note ? { note } : {}) };
  }
}
