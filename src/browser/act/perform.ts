// The course of every action: reach the target, act on it with real input, let the page come to
// rest, and write the receipt.
import { defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline, every, monotonicMs } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { ActedElement, Seen, Settling, WatchedFocus } from '../../page/act/act-answers.ts';
import { findFrameOwner } from '../read/frame-owners.ts';
import { dialogOpenFailure } from '../tabs/dialog.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Clipboard, noteCopied } from './clipboard.ts';
import { buildTargetName, formatTargetName } from './elements.ts';
import { Evidence } from './tab-activity.ts';
import { reach, type Reached, type ReachOptions } from './reach.ts';
import type { Receipt } from './receipt.ts';
import { type Patience, Settlement, type WatchedFrame } from './settle.ts';
import type { ActionTarget } from './action-target.ts';

/** What an action needs to know about the call that it is part of. */
export interface ActionContext {
  readonly tab: Tab;
  readonly signal: AbortSignal;
  readonly deadline: { readonly remainingMs: number };
  readonly patience: Patience;
  /** How long a target that cannot be acted on yet is given. */
  readonly reachMs: number;
  /** Whether Chrome itself is still there; tells a tab that closed from a Chrome that died. */
  readonly chromeRuns: () => boolean;
  /** What the session copied last. */
  readonly clipboard: Clipboard;
  /** Whether a file may be given to a page; returns its real path. */
  readonly allowFile: (path: string) => Promise<string>;
  /**
   * Fills in the secrets that a text names; fails if they are not for this frame, or if no frame is
   * given.
   */
  readonly fillSecrets: (text: string, frame?: Frame) => Promise<string>;
  /** What goes into a password field must not come back anywhere. */
  readonly learnSecret: (text: string) => void;
}

export interface ActionSpec {
  readonly did: string;
  readonly target: ActionTarget;
  readonly needs: Omit<ReachOptions, 'patienceMs'>;
  readonly input: (reached: Reached) => Promise<void>;
  /** How the page is looked at afterwards; what changes nothing by itself needs no frame. */
  readonly settling: Settling;
  /** Checks what was done against what the page shows; throws where it did not take. */
  readonly verify?: (reached: Reached, seen: Seen) => Promise<void> | void;
  /** The input is a press, which the target must have felt. */
  readonly presses?: true;
  /** Whether there is nothing left to do. */
  readonly already?: (reached: Reached) => boolean;
  readonly remark?: string;
}

/** A press that met something else is tried again after the target came to rest, this often. */
const MAX_MISSES = 2;

export const perform = async (scene: ActionContext, doing: ActionSpec): Promise<Receipt> => {
  refuseUnderDialog(scene.tab);
  for (let misses = 0; ; misses++) {
    const outcome = await attempt(scene, doing, misses > 0);
    if ('receipt' in outcome) return outcome.receipt;
    if (misses >= MAX_MISSES) throw outcome.missed;
  }
};

export const refuseUnderDialog = ({ dialog }: Tab): void => {
  if (dialog) throw dialogOpenFailure(dialog);
};

type Attempt = { readonly receipt: Receipt } | { readonly missed: Error };

const attempt = async (
  scene: ActionContext,
  doing: ActionSpec,
  still: boolean,
): Promise<Attempt> => {
  const { tab, reachMs, patience } = scene;
  const reached = await beforeAnything(scene, (limited) =>
    reach(
      tab,
      doing.target,
      defined({ ...doing.needs, patienceMs: reachMs, still: still ? still : undefined }),
      limited,
    ),
  );
  if (doing.already?.(reached))
    return {
      receipt: {
        did: `already ${doing.did}`,
        target: reached.target,
        effects: {},
        waitedMs: 0,
        sure: true,
      },
    };
  using evidence = new Evidence(tab);
  const frames = await watchedFrames(scene, reached);
  return await trackActing(scene, async (signal) => {
    const settlement = new Settlement(tab, evidence, frames, patience, signal);
    await untilInterrupted(scene, () => doing.input(reached));
    const seen = await settlement.look(doing.settling);
    if (
      seen?.missed ||
      (doing.presses && seen && !seen.pressed && !evidence.interrupted && !evidence.leaving)
    )
      return { missed: pressMissed(scene, reached, seen.missed) };
    await settlement.rest();
    const receipt = await writeReceipt(doing, reached, evidence, settlement);
    if (receipt.effects.copied !== undefined) noteCopied(scene, receipt.effects.copied);
    return { receipt };
  });
};

const writeReceipt = async (
  doing: ActionSpec,
  reached: Reached,
  evidence: Evidence,
  settlement: Settlement,
): Promise<Receipt> => {
  const { did, remark, verify } = doing;
  const { seen } = settlement;
  const verified =
    verify !== undefined && seen !== undefined && !evidence.interrupted && !evidence.leaving;
  if (verified) await verify(reached, seen);
  const { focused, ...seenEffects } = settlement.effects();
  const effects = opensChooser(doing, reached)
    ? { ...seenEffects, chooser: true as const }
    : seenEffects;
  settlement.end();
  return defined({
    did,
    target: reached.target,
    // Where the action itself moves the focus, that is no news.
    effects: focused && !doing.needs.select ? { ...effects, focused } : effects,
    waitedMs: monotonicMs() - evidence.startedAt,
    sure: verified ? true : undefined,
    remark: remark ? remark : undefined,
  });
};

/**
 * Chrome opens one for every press on a file field, and does not tell where a person could see it.
 */
const opensChooser = ({ presses }: ActionSpec, { ready }: Reached): boolean =>
  presses === true && ready.field === 'file';

/** Left for the answer, when the page gives none. */
const ANSWER_MS = 150;

/**
 * Everything from the first input on. A page that does not come to an end in time leaves the
 * outcome unknown: it may have happened.
 */
export const trackActing = async <T>(
  { tab, signal, deadline }: ActionContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { remainingMs } = deadline;
  using limit = new Deadline(
    Math.max(remainingMs - ANSWER_MS, remainingMs / 2),
    () =>
      fail(
        'outcome_unknown',
        `The input was sent, but the page at ${tab.url.slice(0, 200)} did not answer in time.`,
        { tabId: tab.id },
      ),
    signal,
  );
  // awaited here, so that the limit lasts as long
  return await abortable(work(limit.signal), limit.signal);
};

const CHECK_MS = 100;

/**
 * What comes before any input: where the page or Chrome goes away under it, nothing was done, and
 * that is said.
 */
export const beforeAnything = async <T>(
  { tab, signal, reachMs, chromeRuns }: ActionContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const limit = new AbortController();
  const follow = (): void => limit.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  // Chrome holds back what a page is asked that is on its way to another one, for as long as that
  // takes.
  using _ = every(CHECK_MS, () => {
    const { leavingFor } = tab;
    if (leavingFor && monotonicMs() - leavingFor.since > reachMs)
      limit.abort(leaving(leavingFor.url));
  });
  try {
    return await work(limit.signal);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (!chromeRuns())
      throw fail('chrome_disconnected', 'Chrome ended before anything was done.', {}, error);
    if (tab.closed)
      throw fail(
        'tab_closed',
        'The tab was closed before anything was done.',
        { tabId: tab.id },
        error,
      );
    throw fail(
      'page_changed',
      `The page changed to ${tab.url.slice(0, 200)} before anything was done.`,
      {},
      error,
    );
  } finally {
    signal.removeEventListener('abort', follow);
  }
};

const leaving = (url: string): Failure =>
  fail(
    'page_changed',
    `The tab is on its way to ${url.slice(0, 200)}, which does not answer; nothing was done.`,
    {
      hint: 'Wait with wait_for {loadState: "load"}, or go elsewhere with navigate.',
    },
  );

/**
 * The target's frame, and the page around it, where effects of what happens in frames often show.
 */
const watchedFrames = async (
  { tab, signal }: ActionContext,
  { frame, ready }: Reached,
): Promise<WatchedFrame[]> => {
  const own = { frame, watch: ready.watch };
  const { main } = tab.frames;
  return frame === main
    ? [own]
    : [own, { frame: main, watch: await main.call<number>('actWatch', [], signal) }];
};

const pressMissed = (
  { tab }: ActionContext,
  { frame, target }: Reached,
  met: ActedElement | undefined,
): Error =>
  fail(
    'target_moving',
    `${formatTargetName(target)} moved away from under the pointer; nothing was pressed.`,
    defined({
      ref: target.ref,
      met: met ? buildTargetName(tab, frame, met) : undefined,
    }),
  );

/**
 * Sends input. A dialog that it opens holds up Chrome's answer, and a tab that it closes never
 * gives one: both are effects.
 */
export const untilInterrupted = async (
  { tab, chromeRuns }: ActionContext,
  send: () => Promise<void>,
): Promise<void> => {
  const off: (() => void)[] = [];
  const dialog = new Promise<void>((resolve) => off.push(tab.events.on('dialog', () => resolve())));
  const sent = send();
  try {
    await Promise.race([sent, dialog]);
  } catch (error) {
    if (!(isGone(error) && tab.closed && chromeRuns())) throw error;
  } finally {
    sent.catch(() => {});
    for (const unsubscribe of off) unsubscribe();
  }
};

interface FrameFocus extends Omit<WatchedFocus, 'frame'> {
  readonly frame: Frame;
}

/** Watches on the focused elements, from the frame that gets the keys out to the page. */
const watchFocus = async (frame: Frame, signal: AbortSignal): Promise<FrameFocus[]> => {
  const { frame: holdsFrame, ...focus } = await frame.call<WatchedFocus>(
    'actWatchFocused',
    [],
    signal,
  );
  const own: FrameFocus = { ...focus, frame };
  if (!own.element || !holdsFrame) return [own];
  for (const child of frame.children)
    if ((await findFrameOwner(child, frame, signal)) === own.element.id)
      return [...(await watchFocus(child, signal)), own];
  return [own];
};

/**
 * An action without a target: keys for whatever has the focus. `secret`: they go into a password
 * field.
 */
export const performOnPage = async (
  scene: ActionContext,
  did: string,
  input: (focus: { readonly secret?: true }) => Promise<void>,
): Promise<Receipt> => {
  const { tab, patience } = scene;
  refuseUnderDialog(tab);
  using evidence = new Evidence(tab);
  const watched = await beforeAnything(scene, (signal) => watchFocus(tab.frames.main, signal));
  const [focus] = watched as [FrameFocus, ...FrameFocus[]];
  const effects = await trackActing(scene, async (signal) => {
    const settlement = new Settlement(tab, evidence, watched, patience, signal);
    await untilInterrupted(scene, () => input(focus));
    await settlement.look('frame');
    await settlement.rest();
    settlement.end();
    return settlement.effects();
  });
  if (effects.copied !== undefined) noteCopied(scene, effects.copied);
  const field =
    effects.value !== undefined && focus.element
      ? { field: buildTargetName(tab, focus.frame, focus.element) }
      : {};
  return { did, effects: { ...effects, ...field }, waitedMs: monotonicMs() - evidence.startedAt };
};
