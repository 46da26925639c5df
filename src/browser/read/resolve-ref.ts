// Resolves a ref to its element and verifies its identity; a stale ref gets a reason and successor.
import { quoteText, textIf } from '../../core/text.ts';
import { compact, defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { isInRow, isSameElement, isSameRow } from '../../page/fingerprint-text.ts';
import type { IdentifiedElement } from '../../page/walk-record.ts';
import { everyNode } from './decode.ts';
import type { ElementEntry, ElementIdentity, FoldedRange } from './ref-book.ts';
import { walkFrom } from './walk-tab.ts';
import { inPage } from '../tabs/in-page.ts';

/** The location of an element. Its id is valid in the frame's current document. */
export interface ElementPlace {
  readonly kind: 'element';
  readonly frame: Frame;
  readonly id: number;
}

interface RangePlace {
  readonly kind: 'range';
  readonly frame: Frame;
  readonly range: FoldedRange;
}

/** Returns the location recorded for a ref, without checking that the element still exists. */
export const requirePlace = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<ElementPlace | RangePlace> => {
  const entry = tab.refs.find(ref);
  if (!entry) throw unknownRef(tab, ref);
  const frame = tab.frames.byId(entry.frameId);
  if (entry.kind === 'range') {
    if (frame?.loaderId !== entry.loaderId)
      throw fail('stale_ref', `${ref} was a folded part of a page that was closed or replaced.`, {
        ref,
        reason: 'navigated',
      });
    return { kind: 'range', frame, range: entry.range };
  }
  if (frame?.loaderId !== entry.loaderId) throw await staleRefFailure(tab, ref, signal);
  return { kind: 'element', frame, id: entry.id };
};

/** Resolves a ref to its element; throws `stale_ref` if it is not the same element any more. */
export const resolveRef = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<ElementPlace> => {
  const place = await requirePlace(tab, ref, signal);
  if (place.kind === 'range')
    throw fail(
      'invalid_argument',
      `${ref} refers to a folded part of the page, not to an element.`,
      {
        argument: 'ref',
        situation: 'folded_part',
      },
    );
  const entry = tab.refs.find(ref) as ElementEntry;
  const now = await identify(place, signal);
  if (now === 'gone') throw await staleRefFailure(tab, ref, signal);
  if (!isSameElement(entry.fingerprint, now.fingerprint)) {
    const failure = await staleRefFailure(tab, ref, signal, now);
    // The failure describes the current element, so the ref refers to that element from now on.
    tab.refs.refOf({ id: entry.frameId, loaderId: entry.loaderId }, place.id, now);
    throw failure;
  }
  return place;
};

/** The failure for a ref whose element has left the document or has become another one. */
export const explainStaleRef = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<Failure> => {
  try {
    await resolveRef(tab, ref, signal);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  // the page has restored the element in the meantime
  return staleRefFailure(tab, ref, signal);
};

/** Returns the CDP object id of the element. */
export const requestHandle = async (
  { frame, id }: ElementPlace,
  signal: AbortSignal,
): Promise<string | undefined> => frame.callForHandle(inPage.main.element, [id], signal);

/** Describes the current element; 'gone' if it has left the document. */
const identify = async (
  { frame, id }: ElementPlace,
  signal: AbortSignal,
): Promise<IdentifiedElement | 'gone'> => {
  try {
    return (await frame.call(inPage.main.identify, [id], signal)) ?? 'gone';
  } catch (error) {
    if (isGone(error)) return 'gone';
    throw error;
  }
};

const unknownRef = (tab: Tab, ref: string): Failure => {
  const shown = ref.slice(0, 40);
  if (tab.refs.hasGiven(ref))
    return fail('stale_ref', `${shown} is from an earlier page of this tab.`, {
      ref: shown,
      reason: 'navigated',
    });
  return fail('element_not_found', `No ref ${shown} exists in this tab.`, { ref: shown });
};

const STALE_REASONS = {
  navigated: 'the tab has navigated to another page',
  're-rendered': 'the page has re-rendered it',
  removed: 'it has been removed',
} as const;

/**
 * Builds the failure for a stale ref: the reason, the old element, and the new ref if exactly one
 * element replaced it.
 */
export const staleRefFailure = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
  now?: IdentifiedElement,
): Promise<Failure> => {
  const entry = tab.refs.find(ref);
  if (entry?.kind !== 'element') return unknownRef(tab, ref);
  const was = describe(entry);
  const navigated = tab.frames.byId(entry.frameId)?.loaderId !== entry.loaderId;
  const successor = await findSuccessor(tab, entry, signal);
  const changed = now || successor ? 're-rendered' : 'removed';
  const reason = navigated ? 'navigated' : changed;
  const message = now
    ? `${ref} was ${was}; the page has changed it to ${describe(now)}.`
    : `${ref} was ${was}; ${STALE_REASONS[reason]}.`;
  return fail(
    'stale_ref',
    message,
    defined({ ref, reason, was, ...compact({ new_ref: successor }) }),
  );
};

const describe = ({ role, name, beside }: Omit<ElementIdentity, 'key'>): string => {
  const around = textIf(beside !== '', ` beside ${quoteText(beside)}`);
  return `${role}${textIf(name !== '', ` ${quoteText(name, 100)}`)}${around}`;
};

/** Returns the ref of the only element that equals the lost one; undefined if there are several. */
const findSuccessor = async (
  tab: Tab,
  lost: ElementEntry,
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    const nodes = (await walkFrom({ frame: tab.frames.main }, {}, signal)) ?? [];
    const alike = everyNode(nodes).filter(
      (node) =>
        node.kind === 'control' &&
        node.role === lost.role &&
        node.name === lost.name &&
        node.id !== lost.id,
    );
    const found = narrow(
      narrow(alike, (node) => lost.key !== '' && node.key === lost.key),
      (node) => isSameRow(lost.fingerprint, node.fingerprint),
    );
    const [only] = found;
    if (!only || found.length > 1) return undefined;
    if (isInRow(lost.fingerprint) && !isSameRow(lost.fingerprint, only.fingerprint))
      return undefined;
    return tab.refs.refOf(only.document, only.id, only);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

/** Returns the items that pass the test, or all items if none passes. */
const narrow = <T>(from: readonly T[], test: (item: T) => boolean): readonly T[] => {
  if (from.length <= 1) return from;
  const passed = from.filter(test);
  return passed.length > 0 ? passed : from;
};
