// Searches all frames of a tab for elements, ranks them, assigns refs, and optionally waits.
import { addCount, getOrCreate, listIf } from '../../core/collections.ts';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { Deadline, monotonicMs, sleep } from '../../core/time.ts';
import type {
  ElementContext,
  FindAnswer,
  FindSpec,
  Missing,
  Hit,
} from '../../page/find/find-answers.ts';
import { type Frame, isFrameReplaced } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { invalidSelectorFailure } from './call-page.ts';
import { openClosedRoots } from './closed-roots.ts';
import {
  decodeWalk,
  describeDocument,
  everyNode,
  type WalkedDocument,
  type WalkedNode,
} from './decode.ts';
import { inPage } from '../tabs/in-page.ts';

export interface FindOptions extends FindSpec {
  /** How long to wait for a visible match. */
  readonly waitForMs: number;
}

export interface FoundElement {
  readonly ref: string;
  readonly role: string;
  readonly name: string;
  readonly states: string;
  /** The value of a field that is not empty. */
  readonly value?: string;
  /** Its containers, innermost first. */
  readonly around: readonly ElementContext[];
}

export interface FindResult {
  readonly hits: readonly FoundElement[];
  /** Number of matches, including those beyond the limit. */
  readonly total: number;
  /** If nothing matches: the reason and the closest elements. */
  readonly missing?: Missing;
  readonly closest: readonly FoundElement[];
  readonly roles?: FindAnswer['roles'];
  /** URLs of frames that did not respond. */
  readonly silent: readonly string[];
  /** The page was too large to search completely. */
  readonly cut: boolean;
}

/** A subframe that does not respond within this time is listed in `silent`. */
const FRAME_PATIENCE_MS = 2000;
/** A closed shadow root may contain elements with closed roots. */
const MAX_ROOT_ROUNDS = 5;
/**
 * From this RANK (page/match-words.ts) on, only scattered words or parts of words match. These hits
 * are dropped if a better one exists.
 */
const LOOSE_RANK = 7;

interface FrameFindAnswer {
  readonly document: WalkedDocument;
  readonly answer: FindAnswer;
}

interface FrameSearchResult {
  readonly answers: readonly FrameFindAnswer[];
  readonly silent: readonly string[];
  /** The main document was being replaced. */
  readonly changing: boolean;
}

export const findElements = async (
  tab: Tab,
  { waitForMs, ...spec }: FindOptions,
  signal: AbortSignal,
): Promise<FindResult> => {
  const endsAt = monotonicMs() + waitForMs;
  for (let round = 0; ; round++) {
    using frames = new FrameEvents(tab);
    const search = await searchFrames(tab, spec, signal);
    const leftMs = endsAt - monotonicMs();
    if (leftMs <= 0 && search.changing)
      throw fail('page_changed', 'The page changed while it was searched.');
    if (leftMs <= 0 || search.answers.some(({ answer }) => answer.seen > 0))
      return buildResult(tab, spec, search);
    await nextChance(tab, spec, { ms: leftMs, round, frames }, signal);
  }
};

/** Searches all frames in parallel. */
const searchFrames = async (
  tab: Tab,
  spec: FindSpec,
  signal: AbortSignal,
): Promise<FrameSearchResult> => {
  const { main } = tab.frames;
  const silent: string[] = [];
  const answers = await Promise.all(
    tab.frames
      .all()
      .map((frame) =>
        frame === main
          ? askFrame(frame, spec, signal)
          : askInner(frame, spec, signal, () => silent.push(frame.url)),
      ),
  );
  return {
    answers: answers.filter((answer) => answer !== undefined),
    silent,
    changing: answers[0] === undefined,
  };
};

const askInner = async (
  frame: Frame,
  spec: FindSpec,
  signal: AbortSignal,
  onSilence: () => void,
): Promise<FrameFindAnswer | undefined> => {
  using patience = new Deadline(FRAME_PATIENCE_MS, undefined, signal);
  try {
    return await askFrame(frame, spec, patience.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!patience.signal.aborted) throw error;
    onSilence();
    return undefined;
  }
};

/**
 * Searches one frame, and again after opening closed roots. Returns undefined if the frame goes
 * away.
 */
const askFrame = async (
  frame: Frame,
  spec: FindSpec,
  signal: AbortSignal,
): Promise<FrameFindAnswer | undefined> => {
  try {
    for (let round = 0; ; round++) {
      const document = describeDocument(frame);
      const answer = await frame.call(inPage.more.find, [spec], signal);
      if (answer.problem !== undefined) throw invalidSelectorFailure(spec.selector ?? '');
      if (
        answer.suspects === 0 ||
        round >= MAX_ROOT_ROUNDS ||
        (await openClosedRoots(frame, signal)) === 0
      )
        return { document, answer };
    }
  } catch (error) {
    if (isFrameReplaced(frame, error)) return undefined;
    throw error;
  }
};

let lastWait = 0;

interface Chance {
  readonly ms: number;
  /** Number of earlier searches. */
  readonly round: number;
  readonly frames: FrameEvents;
}

/** Waits until a frame has a match, a frame is added or navigates, or the time is up. */
const nextChance = async (
  tab: Tab,
  spec: FindSpec,
  { ms, round, frames }: Chance,
  signal: AbortSignal,
): Promise<void> => {
  const wait = ++lastWait;
  const over = new AbortController();
  const stop = (): void => over.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const asked = tab.frames.all();
  const waiting = asked.map(async (frame) => {
    try {
      return await frame.call(
        inPage.more.findWait,
        [spec, { ms, wait, suspicious: round < MAX_ROOT_ROUNDS }],
        over.signal,
      );
    } catch (error) {
      if (!isFrameReplaced(frame, error) && !over.signal.aborted) throw error;
      return new Promise<never>(() => {}); // an event reports its next document
    }
  });
  try {
    await Promise.race([...waiting, frames.next, sleep(ms, over.signal)]);
  } finally {
    signal.removeEventListener('abort', stop);
    over.abort(fail('cancelled', 'The search was cancelled.'));
    for (const frame of asked)
      // a frame that is gone has no wait to stop
      frame.call(inPage.more.findStop, [wait], new AbortController().signal).catch(() => {});
  }
};

/** Records frame events from its creation on, so that none is missed between two searches. */
class FrameEvents implements Disposable {
  readonly next: Promise<void>;
  readonly #off: () => void;

  constructor(tab: Tab) {
    let wake = (): void => {};
    this.next = new Promise((resolve) => (wake = resolve));
    this.#off = tab.events.on('frame', wake);
  }

  [Symbol.dispose](): void {
    this.#off();
  }
}

interface PlacedHit {
  readonly hit: Hit;
  readonly from: FrameFindAnswer;
}

const buildResult = (
  tab: Tab,
  { limit }: FindSpec,
  { answers, silent }: FrameSearchResult,
): FindResult => {
  const describe = createDescriber(tab);
  const cut = answers.some(({ answer }) => answer.cut);
  const hits = rankHits(answers);
  if (hits.length > 0) {
    const total = answers.reduce((sum, { answer }) => sum + answer.total, 0);
    return {
      hits: hits.slice(0, limit).map(describe),
      total: Math.max(total, hits.length),
      closest: [],
      silent,
      cut,
    };
  }
  const misses = answers.map(({ answer }) => answer.missing ?? 'no_match');
  const missing = MISSES.find((kind) => misses.includes(kind)) ?? 'no_match';
  const telling = answers.filter(({ answer }) => answer.missing === missing);
  const closest = telling.flatMap((from) => from.answer.closest.map((hit) => ({ hit, from })));
  const roles = mergeRoles(answers);
  return defined({
    hits: [],
    total: 0,
    missing,
    closest: closest.slice(0, 5).map(describe),
    ...compact({ roles }),
    silent,
    cut,
  });
};

/** Reasons in order of usefulness. */
const MISSES: readonly Missing[] = ['near_without', 'near_nowhere', 'no_match'];

const rankHits = (answers: readonly FrameFindAnswer[]): PlacedHit[] => {
  const all = answers.flatMap((from) => from.answer.hits.map((hit) => ({ hit, from })));
  const best = Math.min(...all.map(({ hit }) => hit.rank[1]));
  const clear = best < LOOSE_RANK ? all.filter(({ hit }) => hit.rank[1] < LOOSE_RANK) : all;
  return clear.sort(
    ({ hit: a }, { hit: b }) =>
      Number(a.hidden) - Number(b.hidden) || a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1],
  );
};

const mergeRoles = (answers: readonly FrameFindAnswer[]): [role: string, count: number][] => {
  const counts = new Map<string, number>();
  for (const { answer } of answers)
    for (const [role, count] of answer.roles ?? []) addCount(counts, role, count);
  return [...counts].sort((a, b) => b[1] - a[1]);
};

/** Converts a hit to a FoundElement and assigns its ref, as a reading of the page does. */
const createDescriber = (tab: Tab): ((placed: PlacedHit) => FoundElement) => {
  const walked = new Map<FrameFindAnswer, ReadonlyMap<number, WalkedNode>>();
  const nodesOf = (from: FrameFindAnswer): ReadonlyMap<number, WalkedNode> => {
    return getOrCreate(
      walked,
      from,
      () =>
        new Map(
          [...everyNode(decodeWalk(from.answer.walk, from.document).nodes)].map((node) => [
            node.id,
            node,
          ]),
        ),
    );
  };
  return ({ hit: { id, role, name, states, around, fingerprint, beside }, from }) => {
    const node = nodesOf(from).get(id);
    const { document } = from;
    const ref = tab.refs.refOf(
      document,
      id,
      node?.kind === 'control' ? node : { role, name, fingerprint, beside },
    );
    const inFrame = listIf(document.frame.parent, {
      kind: 'frame',
      text: frameName(document.frame),
    });
    // Use the same role as a reading of the page.
    return {
      ref,
      role: node?.kind === 'control' ? node.role : role,
      name,
      states,
      ...compact({ value: node?.value }),
      around: [...around, ...inFrame],
    };
  };
};

const MAX_FRAME_CHARS = 40;

const frameName = ({ name, url }: Frame): string => {
  const text = name || url.replace(/^https?:\/\//, '');
  return text.length > MAX_FRAME_CHARS ? `${text.slice(0, MAX_FRAME_CHARS - 1)}…` : text;
};
