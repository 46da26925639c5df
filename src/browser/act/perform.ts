// Runs one action: reaches the target, sends the input, waits for the effects, builds the receipt.
import { callAll } from '../../core/collections.ts';
import { quoteText } from '../../core/text.ts';
import { compact, defined, valueIf, ifDefined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline, every, monotonicMs } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type {
  ActedElement,
  ObservedEffects,
  Settling,
  WatchedFocus,
} from '../../page/act/act-answers.ts';
import type { RecordedElement } from '../../page/recorded/recorded-answers.ts';
import { findFrameOwner } from '../read/frame-owners.ts';
import { dialogOpenFailure } from '../tabs/dialog.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { makeVisibleMeanwhile } from '../tabs/shown-page.ts';
import { type Clipboard, noteCopied } from './clipboard.ts';
import { type ActionTarget, buildTargetName, formatTargetName } from './elements.ts';
import { TabActivity } from './tab-activity.ts';
import { reach, type Reached, type ReachOptions } from './reach.ts';
import type { Receipt } from '../../core/receipt.ts';
import { type Patience, EffectWait, type WatchedFrame } from './settle.ts';
import { inPage } from '../tabs/in-page.ts';

/** The properties of a call that an action needs. */
export interface ActionContext {
  readonly tab: Tab;
  readonly signal: AbortSignal;
  readonly deadline: { readonly remainingMs: number };
  readonly patience: Patience;
  /** How long to wait for a target to become actionable. */
  readonly reachMs: number;
  /** Whether Chrome still runs; distinguishes a closed tab from a Chrome that exited. */
  readonly chromeRuns: () => boolean;
  /** The text that the session copied last. */
  readonly clipboard: Clipboard;
  /** Throws if the file may not be given to a page; returns its real path. */
  readonly allowFile: (path: string) => Promise<string>;
  /** Throws if the owner's policy or the user denies actions on the page that is shown now. */
  readonly allowAction: () => Promise<void>;
  /** Throws if the tab shows a page that `allowAction` did not check. */
  readonly recheckAction: () => void;
  /**
   * Replaces the names of secrets in a text by their values. Throws if a secret is not allowed in
   * this frame, or if no frame is given.
   */
  readonly fillSecrets: (text: string, frame?: Frame) => Promise<string>;
  /** Registers a password, so that later output masks it. */
  readonly learnSecret: (text: string) => void;
  /** Keeps the facts of targets in the journal; undefined if the call belongs to no task. */
  readonly keepTargets: ((facts: TargetFacts) => void) | undefined;
}

type TargetFacts = readonly (RecordedElement | null)[];

/** A page that is replaced meanwhile leaves no facts; the action itself reports that. */
export const readTargetFacts = (
  frame: Frame,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<TargetFacts> =>
  frame.call(inPage.more.describeRecorded, [ids], signal).catch(() => ids.map(() => null));

const keepTargetFacts = async (
  { keepTargets, signal }: ActionContext,
  frame: Frame,
  id: number,
): Promise<void> => {
  if (keepTargets) keepTargets(await readTargetFacts(frame, [id], signal));
};

export interface ActionSpec {
  readonly did: string;
  readonly target: ActionTarget;
  readonly needs: Omit<ReachOptions, 'patienceMs'>;
  readonly input: (reached: Reached) => Promise<void>;
  /**
   * How to look at the page after the input. Input that changes nothing by itself needs no frame.
   */
  readonly settling: Settling;
  /** Compares the page with the intended result; throws if they differ. */
  readonly verify?: (reached: Reached, seen: ObservedEffects) => Promise<void> | void;
  /** The input is a mouse press that must reach the target. */
  readonly presses?: true;
  /** Whether the target already has the wanted state. */
  readonly already?: (reached: Reached) => boolean;
  readonly remark?: string;
}

/** How often a press that hit another element is retried, once the target has stopped moving. */
const MAX_MISSES = 2;

export const perform = async (context: ActionContext, spec: ActionSpec): Promise<Receipt> => {
  refuseUnderDialog(context.tab);
  makeVisibleMeanwhile(context.tab, context.signal);
  for (let misses = 0; ; misses++) {
    const outcome = await attempt(context, spec, misses > 0);
    if ('receipt' in outcome) return outcome.receipt;
    if (misses >= MAX_MISSES) throw outcome.missed;
  }
};

export const refuseUnderDialog = ({ dialog }: Tab): void => {
  if (dialog) throw dialogOpenFailure(dialog);
};

type Attempt = { readonly receipt: Receipt } | { readonly missed: Error };

const attempt = async (
  context: ActionContext,
  spec: ActionSpec,
  still: boolean,
): Promise<Attempt> => {
  const { tab, reachMs, patience } = context;
  const reached = await beforeAnything(context, (limited) =>
    reach(
      tab,
      spec.target,
      defined({ ...spec.needs, patienceMs: reachMs, ...compact({ still }) }),
      limited,
    ),
  );
  await keepTargetFacts(context, reached.frame, reached.ready.element.id);
  if (spec.already?.(reached))
    return {
      receipt: defined({
        did: `already ${spec.did}`,
        target: reached.target,
        effects: {},
        waitedMs: 0,
        sure: true,
        healed: reached.healed,
      }),
    };
  emitAim(tab, spec, reached);
  using activity = new TabActivity(tab);
  const frames = await watchedFrames(context, reached);
  return await trackActing(context, async (signal) => {
    const effectWait = new EffectWait(tab, activity, frames, patience, signal);
    await untilInterrupted(context, () => spec.input(reached));
    const seen = await effectWait.look(spec.settling);
    if (
      seen?.missed ||
      (spec.presses && seen && !seen.pressed && !activity.interrupted && !activity.leaving)
    )
      return { missed: pressMissed(context, reached, seen.missed) };
    await effectWait.rest();
    await effectWait.untilExpected();
    const receipt = await writeReceipt(spec, reached, activity, effectWait);
    if (receipt.effects.copied !== undefined) noteCopied(context, receipt.effects.copied);
    return { receipt };
  });
};

/** Only a pointer action knows its point in coordinates of the page. */
const emitAim = (tab: Tab, { did, needs }: ActionSpec, { frame, ready, point }: Reached): void =>
  tab.events.emit(
    'aimed',
    defined({
      did,
      point: valueIf(needs.needs.pointer || !frame.parent, point),
      target: { frame, id: ready.element.id },
    }),
  );

const writeReceipt = async (
  spec: ActionSpec,
  reached: Reached,
  activity: TabActivity,
  effectWait: EffectWait,
): Promise<Receipt> => {
  const { did, remark, verify } = spec;
  const { seen } = effectWait;
  const verified =
    verify !== undefined && seen !== undefined && !activity.interrupted && !activity.leaving;
  if (verified) await verify(reached, seen);
  const { focused, ...seenEffects } = effectWait.effects();
  const effects = opensChooser(spec, reached)
    ? { ...seenEffects, chooser: true as const }
    : seenEffects;
  effectWait.end();
  return defined({
    did,
    target: reached.target,
    // A focus change is not an effect if the action itself moves the focus.
    effects: focused && !spec.needs.select ? { ...effects, focused } : effects,
    waitedMs: monotonicMs() - activity.startedAt,
    sure: valueIf(verified, true),
    remark: remark ? remark : undefined,
    healed: reached.healed,
  });
};

/**
 * Chrome opens a file chooser for every press on a file field, and emits no event if Chrome has a
 * window.
 */
const opensChooser = ({ presses }: ActionSpec, { ready }: Reached): boolean =>
  presses === true && ready.field === 'file';

/** Reserved for sending the reply if the page does not respond. */
const ANSWER_MS = 150;

/**
 * Limits the time from the first input on. If the page does not respond in time, the outcome is
 * unknown, because the action may have happened.
 */
export const trackActing = async <T>(
  { tab, signal, deadline, recheckAction }: ActionContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  recheckAction();
  const { remainingMs } = deadline;
  using limit = new Deadline(
    Math.max(remainingMs - ANSWER_MS, remainingMs / 2),
    () =>
      fail(
        'outcome_unknown',
        `The input was sent, but the page at ${quoteText(tab.url)} did not respond in time.`,
        { tabId: tab.id },
      ),
    signal,
  );
  using _pause = tab.holds.pauseWhileHeld(limit);
  // await here, so that `limit` is not disposed before the work ends
  return await abortable(work(limit.signal), limit.signal);
};

const CHECK_MS = 100;

/**
 * Runs the steps before any input. If the page or Chrome goes away meanwhile, the error states that
 * nothing was done.
 */
export const beforeAnything = async <T>(
  { tab, signal, reachMs, chromeRuns, allowAction }: ActionContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  await allowAction();
  const limit = new AbortController();
  const follow = (): void => limit.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  // Chrome delays responses of a page that is being navigated away until the navigation ends.
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
      throw fail(
        'chrome_disconnected',
        'Chrome exited before the action was performed.',
        {},
        error,
      );
    if (tab.closed)
      throw fail(
        'tab_closed',
        'The tab was closed before the action was performed.',
        { tabId: tab.id },
        error,
      );
    throw fail(
      'page_changed',
      `The tab navigated to ${quoteText(tab.url)} before the action was performed.`,
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
    `The tab is navigating to ${quoteText(url)}, which has not responded; the action was not ` +
      `performed.`,
    { situation: 'leaving_page' },
  );

/**
 * Watches the target's frame and the main frame, which often shows effects of actions in frames.
 */
const watchedFrames = async (
  { tab, signal }: ActionContext,
  { frame, ready }: Reached,
): Promise<WatchedFrame[]> => {
  const own = { frame, watch: ready.watch };
  const { main } = tab.frames;
  return frame === main
    ? [own]
    : [own, { frame: main, watch: await main.call(inPage.more.beginWatch, [], signal) }];
};

const pressMissed = (
  { tab }: ActionContext,
  { frame, target }: Reached,
  met: ActedElement | undefined,
): Error =>
  fail(
    'target_moving',
    `${formatTargetName(target)} moved away from the pointer; no button was pressed.`,
    defined({
      ref: target.ref,
      met: ifDefined(met, (met) => buildTargetName(tab, frame, met)),
    }),
  );

/**
 * Sends input. Chrome does not respond while a dialog is open or after the tab closed: both are
 * effects of the input and not errors.
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
    callAll(off);
  }
};

interface FrameFocus extends Omit<WatchedFocus, 'frame'> {
  readonly frame: Frame;
}

/** Watches the focused elements, from the frame that receives the keys up to the main frame. */
const watchFocus = async (frame: Frame, signal: AbortSignal): Promise<FrameFocus[]> => {
  const { frame: holdsFrame, ...focus } = await frame.call(inPage.more.watchFocused, [], signal);
  const own: FrameFocus = { ...focus, frame };
  if (!own.element || !holdsFrame) return [own];
  for (const child of frame.children)
    if ((await findFrameOwner(child, frame, signal)) === own.element.id)
      return [...(await watchFocus(child, signal)), own];
  return [own];
};

/**
 * Performs an action without a target: keys for the focused element. `secret` is set if that
 * element is a password field.
 */
export const performOnPage = async (
  context: ActionContext,
  did: string,
  input: (focus: { readonly secret?: true }) => Promise<void>,
): Promise<Receipt> => {
  const { tab, patience, signal } = context;
  refuseUnderDialog(tab);
  makeVisibleMeanwhile(tab, signal);
  using activity = new TabActivity(tab);
  const watched = await beforeAnything(context, (limited) => watchFocus(tab.frames.main, limited));
  const [focus] = watched as [FrameFocus, ...FrameFocus[]];
  const effects = await trackActing(context, async (limited) => {
    const effectWait = new EffectWait(tab, activity, watched, patience, limited);
    await untilInterrupted(context, () => input(focus));
    await effectWait.look('frame');
    await effectWait.rest();
    await effectWait.untilExpected();
    effectWait.end();
    return effectWait.effects();
  });
  if (effects.copied !== undefined) noteCopied(context, effects.copied);
  const field =
    effects.value !== undefined && focus.element
      ? { field: buildTargetName(tab, focus.frame, focus.element) }
      : {};
  return { did, effects: { ...effects, ...field }, waitedMs: monotonicMs() - activity.startedAt };
};
