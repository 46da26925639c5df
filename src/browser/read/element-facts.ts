// Reads one fact about an element: its value, an attribute, or how many elements match.
import { fail } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';
import { callOwnFrame, invalidSelectorFailure, type ReadTarget } from './call-page.ts';
import { findElements } from './find-elements.ts';
import { requirePlace } from './resolve-ref.ts';

export interface FactTarget extends ReadTarget {
  /** Words of its name, label or text. */
  readonly query?: string | undefined;
}

/** Longer values are cut. */
const MAX_FACT_CHARS = 10_000_000;

/** The value, or the attribute if one is named; null if the element does not have it. */
export const readElementFact = async (
  tab: Tab,
  target: FactTarget,
  attribute: string | undefined,
  signal: AbortSignal,
): Promise<string | null> => {
  // Only fields have values, and a heading can have the same words as the label of a field.
  const role = attribute === undefined ? 'field' : undefined;
  const place = await findPlace(tab, target, role, signal);
  const { answer } = await callOwnFrame(
    tab,
    place,
    {
      call: inPage.inspect.readFact,
      request: (subject) => ({ subject, attribute, maxChars: MAX_FACT_CHARS }),
    },
    signal,
  );
  return answer.fact;
};

const findPlace = async (
  tab: Tab,
  { query, ...place }: FactTarget,
  role: string | undefined,
  signal: AbortSignal,
): Promise<ReadTarget> => {
  if (query === undefined) return place;
  const wanted = role === undefined ? { query } : { query, role };
  const { hits } = await findElements(tab, { ...wanted, limit: 1, waitForMs: 0 }, signal);
  const [hit] = hits;
  if (hit) return { ref: hit.ref };
  throw fail('element_not_found', `No ${role ?? 'element'} matches "${query.slice(0, 200)}".`, {
    query,
  });
};

/** The number of elements in all frames that match a selector or words; 1 for a valid ref. */
export const countElements = async (
  tab: Tab,
  { query, ref, selector = '*' }: FactTarget,
  signal: AbortSignal,
): Promise<number> => {
  if (ref !== undefined) {
    await requirePlace(tab, ref, signal);
    return 1;
  }
  if (query !== undefined) {
    const { total } = await findElements(tab, { query, limit: 1, waitForMs: 0 }, signal);
    return total;
  }
  const counts = await Promise.all(
    tab.frames.all().map((frame) =>
      frame.call(inPage.inspect.count, [selector], signal).catch((error: unknown) => {
        if (frame === tab.frames.main || !isGone(error)) throw error;
        return 0; // the frame was removed
      }),
    ),
  );
  if (counts.includes(null)) throw invalidSelectorFailure(selector);
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
};
