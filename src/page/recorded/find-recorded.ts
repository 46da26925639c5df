// Finds a recorded element again, and reports if its name belongs to another element now.
import { change } from '../act/rhythm.ts';
import { listIf } from '../objects.ts';
import { assignId, findElement } from '../state.ts';
import {
  readAttribute,
  readFacts,
  readTestId,
  RoleElements,
  shortenNeighbour,
} from './element-facts.ts';
import type { RecordedAnswer, RecordedElement } from './recorded-answers.ts';

const RECHECK_MS = 250;

const ADDRESSES = new Set(['href', 'formaction']);

/** Elements whose containers are compared, so that the page is not blocked. */
const MAX_COMPARED = 200;

export const describeRecorded = (ids: readonly number[]): (RecordedElement | null)[] =>
  ids.map((id) => {
    const element = findElement(id);
    return (element && readFacts(element)) ?? null;
  });

/** Waits for an element with the recorded name; after that time also accepts a renamed one. */
export const findRecorded = async (
  target: RecordedElement,
  patienceMs: number,
): Promise<RecordedAnswer> => {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    const answer = new RecordedSearch(target).run();
    const isSame = answer.problem === undefined && answer.healed === undefined;
    const left = endsAt - performance.now();
    if (isSame || left <= 0) return answer;
    await change(Math.min(left, RECHECK_MS));
  }
};

class RecordedSearch {
  readonly #target: RecordedElement;
  readonly #elements: RoleElements;

  constructor(target: RecordedElement) {
    this.#target = target;
    this.#elements = new RoleElements(target.role);
  }

  run(): RecordedAnswer {
    const { name } = this.#target;
    const named = this.#elements.usable.filter((one) => this.#elements.readName(one) === name);
    if (named.length === 0) return this.#heal();
    const [only, another] = this.#narrow(named);
    if (!only || another)
      return { problem: 'ambiguous', detail: `${named.length} elements have this name` };
    const conflict = this.#findConflict(only);
    if (conflict !== undefined) return { problem: 'moved', detail: conflict };
    return { id: assignId(only) };
  }

  /** Selects among elements with the recorded name: by own facts, then row, then container. */
  #narrow(named: readonly Element[]): readonly Element[] {
    const { row, within } = this.#target;
    const tests = [
      (one: Element) => this.#matchingFacts(one).length > 0,
      (one: Element) => row !== undefined && this.#elements.readRow(one) === row,
      (one: Element) => within !== undefined && this.#isWithin(one),
    ];
    let left = named;
    for (const test of tests) {
      if (left.length <= 1) break;
      const passed = left.filter(test);
      if (passed.length > 0) left = passed;
    }
    return left;
  }

  /** Finds a renamed element by its test id or an attribute, if exactly one element has it. */
  #heal(): RecordedAnswer {
    const { row } = this.#target;
    const found = this.#elements.usable.filter((one) => this.#matchingFacts(one).length > 0);
    const same = found.filter((one) => row === undefined || this.#elements.readRow(one) === row);
    const [only, another] = same;
    if (only && !another) {
      const [fact = ''] = this.#matchingFacts(only);
      const now = JSON.stringify(this.#elements.readName(only));
      return { id: assignId(only), healed: `was found by its ${fact}: it is now ${now}` };
    }
    if (another)
      return { problem: 'ambiguous', detail: `${same.length} elements have its recorded facts` };
    return { problem: 'not_found', detail: '' };
  }

  /** The names of the recorded facts of the element itself that are the same. */
  #matchingFacts(element: Element): string[] {
    const { testId, attributes = {} } = this.#target;
    return [
      ...listIf(testId !== undefined && readTestId(element) === testId, 'testId'),
      ...Object.entries(attributes)
        .filter(([name, value]) => readAttribute(element, name) === value)
        .map(([name]) => name),
    ];
  }

  /** The recorded fact that shows that the element is another one; undefined if none does. */
  #findConflict(element: Element): string | undefined {
    const own = this.#matchingFacts(element);
    const holder = this.#findHolder(element, own);
    if (holder) return `its recorded ${holder.fact} belongs to ${this.#quoteName(holder.element)}`;
    const changed = own.length > 0 ? undefined : this.#findChanged(element);
    if (changed !== undefined) return changed;
    const { row } = this.#target;
    if (row !== undefined && !this.#isInRow(element, row, own.length > 0)) {
      const now = this.#elements.readRow(element);
      return `its row was ${JSON.stringify(row)}, and is now ${JSON.stringify(now)}`;
    }
    return own.length > 0 ? undefined : this.#findPlaceConflict(element);
  }

  #quoteName(element: Element): string {
    return `${this.#target.role} ${JSON.stringify(this.#elements.readName(element))}`;
  }

  /** Another element that has a recorded fact which this element has not. */
  #findHolder(
    element: Element,
    own: readonly string[],
  ): { readonly element: Element; readonly fact: string } | undefined {
    for (const other of this.#elements.all) {
      if (other === element) continue;
      const fact = this.#matchingFacts(other).find((one) => !own.includes(one));
      if (fact !== undefined) return { element: other, fact };
    }
    return undefined;
  }

  /** A recorded fact that has another value now. The addresses of links often change. */
  #findChanged(element: Element): string | undefined {
    const { testId, attributes = {} } = this.#target;
    const facts = [
      ...listIf(testId !== undefined, ['testId', testId, readTestId(element)] as const),
      ...Object.entries(attributes)
        .filter(([name]) => !ADDRESSES.has(name))
        .map(([name, value]) => [name, value, readAttribute(element, name)] as const),
    ];
    const changed = facts.find(([, was, is]) => is !== undefined && is !== was);
    if (!changed) return undefined;
    const [fact, ...values] = changed;
    const [was, is] = values.map((value) => JSON.stringify(value));
    return `its ${fact} was ${was}, and is now ${is}`;
  }

  /** Numbers in the row may differ (counters, times) if a fact of the element is the same. */
  #isInRow(element: Element, row: string, isConfirmed: boolean): boolean {
    const now = this.#elements.readRow(element);
    return now === row || (isConfirmed && withoutDigits(now) === withoutDigits(row));
  }

  #isWithin(element: Element): boolean {
    const { within = [] } = this.#target;
    return this.#elements.readWithin(element).join() === within.join();
  }

  /** For an element without attributes that identify it: its container and its neighbours. */
  #findPlaceConflict(element: Element): string | undefined {
    const { within, order } = this.#target;
    if (within && !this.#isWithin(element)) {
      const others = this.#elements.usable.slice(0, MAX_COMPARED);
      const other = others.find((one) => one !== element && this.#isWithin(one));
      if (other) return `it is not ${within.join(', ')}, where ${this.#quoteName(other)} is now`;
    }
    const now = order ? this.#elements.readOrder(element) : [];
    return order && isReordered(order, now, this.#target.name)
      ? `its neighbours were ${order.join(', ')}, and are now ${now.join(', ')}`
      : undefined;
  }
}

const withoutDigits = (text: string): string => text.replace(/\d+/g, '');

/** Whether a name that was before the element is now after it, or the other way round. */
const isReordered = (before: readonly string[], now: readonly string[], name: string): boolean => {
  const [was, is] = [splitAt(before, name), splitAt(now, name)];
  const hasCrossed = (from: ReadonlySet<string>, to: ReadonlySet<string>): boolean =>
    [...from].some((one) => to.has(one));
  return hasCrossed(was.before, is.after) || hasCrossed(was.after, is.before);
};

/** The names before and after the element, without those that are on both sides. */
const splitAt = (
  names: readonly string[],
  name: string,
): { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> } => {
  const at = names.indexOf(shortenNeighbour(name));
  const [before, after] = [names.slice(0, Math.max(0, at)), names.slice(at + 1)];
  return {
    before: new Set(before.filter((one) => !after.includes(one))),
    after: new Set(after.filter((one) => !before.includes(one))),
  };
};
