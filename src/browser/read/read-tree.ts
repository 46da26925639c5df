// Reads the tree of a tab or of a part of it, with refs; also before and after an action.
import { getOrCreate } from '../../core/collections.ts';
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import type { WalkOptions } from '../../page/walk-record.ts';
import type { Tab } from '../tabs/tab.ts';
import { WalkedNode } from './decode.ts';
import type { FoldedRange } from './ref-book.ts';
import { requirePlace, staleRefFailure } from './resolve-ref.ts';
import { listRangeNodes, Snapshot } from './snapshot.ts';
import { type Start, walkFrom } from './walk-tab.ts';

export interface ReadOptions {
  /** Read only this element, or the folded part of this ref. */
  readonly ref?: string | undefined;
  /** Read only the first element that matches. */
  readonly selector?: string | undefined;
  /** Include the URLs of links. */
  readonly urls?: boolean | undefined;
  /** Include a line for every element that has a role. */
  readonly roles?: boolean | undefined;
  /** Up to this size in tokens nothing is folded, so the nodes in view need not be determined. */
  readonly maxTokens?: number | undefined;
  /** Include the nodes behind a modal dialog, to compare with an earlier reading. */
  readonly behind?: boolean | undefined;
}

/** A token rarely has fewer than two characters. */
const MIN_CHARS_PER_TOKEN = 2;

/** A reading, and the previous reading of the same part of the same document, if any. */
interface TreeReading {
  readonly now: Snapshot;
  readonly before?: Snapshot;
}

const partKey = ({ ref, selector, urls, roles }: ReadOptions): string =>
  `${ref ?? ''} ${selector ?? ''} ${textIf(urls, 'urls')} ${textIf(roles, 'roles')}`;

/** Reads the page if no earlier reading exists to compare with. */
const ensureReading = async (
  tab: Tab,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<void> => {
  if (!wasRead(tab, partKey(options))) await readAgain(tab, options, signal);
};

/** Reads like readTree and caches the reading for the next comparison. */
export const readAgain = async (
  tab: Tab,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<TreeReading> => {
  const now = await readTree(tab, { ...options, behind: wasRead(tab, partKey(options)) }, signal);
  const before = keepReading(now, partKey(options));
  if (before && now.behind.length > 0)
    now.seen = before.seen.length > 0 ? before.seen : before.nodes;
  return defined({ now, before });
};

export const readTree = async (
  tab: Tab,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<Snapshot> => {
  const { loaderId } = tab.frames.main;
  const start = await findStart(tab, options, signal);
  let behind: readonly WalkedNode[] = [];
  const nodes = await walkFrom(start, walkOptions(options), signal, {
    onTop: ({ document, title }) => {
      // the title must match the reading
      if (document.frame === tab.frames.main) tab.title = title;
    },
    onBehind: (found) => (behind = found),
  });
  if (!nodes) throw await missingPartFailure(tab, options, signal);
  if (!start.range) return new Snapshot(tab, nodes, { root: start.root, nodes }, loaderId, behind);
  const folded = listRangeNodes(nodes, start.range);
  if (!folded)
    throw fail('stale_ref', `The content folded under ${options.ref} is no longer in the page.`, {
      ref: options.ref,
    });
  return new Snapshot(
    tab,
    cutStart(folded, start.range.offset),
    { root: start.root, nodes },
    loaderId,
  );
};

const walkOptions = ({ urls, roles, maxTokens, behind }: ReadOptions): WalkOptions =>
  defined({
    ...compact({ urls, roles, behind }),
    viewportAbove: ifDefined(maxTokens, (maxTokens) => maxTokens * MIN_CHARS_PER_TOKEN),
  });

interface TreeStart extends Start {
  readonly range?: FoldedRange;
}

const findStart = async (
  tab: Tab,
  { ref, selector }: ReadOptions,
  signal: AbortSignal,
): Promise<TreeStart> => {
  if (ref === undefined) return defined({ frame: tab.frames.main, selector });
  const place = await requirePlace(tab, ref, signal);
  if (place.kind === 'element') return { frame: place.frame, root: place.id };
  const { scope } = place.range;
  return defined({ frame: place.frame, range: place.range, root: scope });
};

const missingPartFailure = async (
  tab: Tab,
  { ref, selector }: ReadOptions,
  signal: AbortSignal,
): Promise<Error> => {
  if (ref !== undefined) return staleRefFailure(tab, ref, signal);
  if (selector !== undefined)
    return fail('element_not_found', `No element matches ${selector.slice(0, 200)}.`, { selector });
  return fail('page_changed', 'The page changed while it was read.');
};

/** Cuts the first text at `offset`, where the previous reading ended. */
const cutStart = (
  nodes: readonly WalkedNode[],
  offset: number | undefined,
): readonly WalkedNode[] => {
  const [first, ...rest] = nodes;
  if (!first || !offset) return nodes;
  const { document, parent, kind, id, role, name, states, value, key, url } = first;
  const cut = new WalkedNode(
    document,
    parent,
    kind,
    id,
    role,
    name.slice(offset),
    states,
    value,
    key,
    url,
  );
  cut.rest = { of: first, offset };
  return [cut, ...rest];
};

/** Maximum number of cached readings per tab; each one is a whole tree. */
const MAX_PARTS = 4;

const readings = new WeakMap<Tab, Map<string, Snapshot>>();

/** Whether this part of the current document has a cached reading. */
const wasRead = (tab: Tab, part: string): boolean =>
  readings.get(tab)?.get(part)?.loaderId === tab.frames.main.loaderId;

/** Caches a reading; returns the previous one of the same part if it is of the same document. */
const keepReading = (snapshot: Snapshot, part: string): Snapshot | undefined => {
  const { tab, loaderId } = snapshot;
  const parts = getOrCreate(readings, tab, () => new Map());
  const before = parts.get(part);
  parts.delete(part);
  parts.set(part, snapshot);
  for (const old of parts.keys()) if (parts.size > MAX_PARTS) parts.delete(old);
  return valueIf(before?.loaderId === loaderId, before);
};

// Reads the page before and after an action, for callers that want the state in the same reply.

type AfterState = 'none' | 'ax' | 'diff';

const OPTIONS = { maxTokens: 10_000 };

/** Reads the page before the action if the caller wants a diff afterwards. */
export const readBefore = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<void> => {
  if (wanted === 'diff' && !tab.dialog) await ensureReading(tab, OPTIONS, signal);
};

/** Returns undefined if no state is wanted, a dialog is open, or the tab is closed. */
export const readAfter = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<TreeReading | undefined> =>
  wanted === 'none' || tab.dialog || tab.closed ? undefined : readAgain(tab, OPTIONS, signal);
