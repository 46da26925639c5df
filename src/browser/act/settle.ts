// Waits until the effects of an action have ended. Events end the wait, not a fixed delay.
import { callAll } from '../../core/collections.ts';
import { compareEffectKinds, type EffectKinds, listEffectKinds } from '../../core/effect-kinds.ts';
import { compact, defined, valueIf, ifDefined } from '../../core/defined.ts';
import { Deadline, monotonicMs } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { Alert } from '../../page/call-answers.ts';
import type { ObservedEffects, Settling } from '../../page/act/act-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { buildTargetName } from './elements.ts';
import type { TabActivity } from './tab-activity.ts';
import type { Effects } from '../../core/receipt.ts';
import { inPage } from '../tabs/in-page.ts';

export interface Patience {
  /** Maximum time to wait for effects. The wait ends earlier if the page is idle. */
  readonly settleMs: number;
  /** Maximum time to wait for the first effect. */
  readonly idleMs: number;
  /** The effects of an earlier run, which are waited for. */
  readonly expected?: EffectKinds | undefined;
}

/** How long to wait for the effects of an earlier run. */
const EXPECTED_MS = 5_000;

/** Factor on settleMs for a navigation: without the wait the client would read the old page. */
const NAVIGATION_FACTOR = 3;
/** How long to wait for `load` after DOMContentLoaded. */
const LOAD_MS = 1000;
/** Maximum wait for a page that never stops changing (a clock, a script animation). */
const CHURN_MS = 250;

/** Maximum wait for CSS transitions that the action started. */
const TRANSITIONS_MS = 1000;
/** How long a new document may take to report its alerts. */
const ALERTS_MS = 500;

export interface WatchedFrame {
  readonly frame: Frame;
  readonly watch: number;
}

/** Returns the changes that a frame observed; undefined if the frame went away. */
const look = async (
  { frame, watch }: WatchedFrame,
  how: Settling,
  maxMs: number,
  signal: AbortSignal,
  more: { answered?: readonly string[]; transitionsMs?: number } = {},
): Promise<ObservedEffects | undefined> => {
  try {
    const { answered = [], transitionsMs = 0 } = more;
    const seen = await frame.call(
      inPage.more.settleWatch,
      [watch, how, Math.max(0, maxMs), answered, transitionsMs],
      signal,
    );
    return valueIf(!seen.lost, seen);
  } catch (error) {
    if (isGone(error) || (error as { code?: string }).code === 'page_changed') return undefined;
    throw error;
  }
};

const hasEffect = (seen: ObservedEffects): boolean =>
  seen.changes > 0 ||
  seen.announcements.length > 0 ||
  seen.invalid.length > 0 ||
  seen.states !== undefined ||
  seen.value !== undefined ||
  seen.focus !== undefined ||
  seen.scrolledTo !== undefined ||
  seen.copied !== undefined;

export class EffectWait {
  readonly #tab: Tab;
  readonly #activity: TabActivity;
  readonly #frames: readonly WatchedFrame[];
  readonly #patience: Patience;
  readonly #signal: AbortSignal;
  #endsAt: number;
  #seen: (ObservedEffects | undefined)[] = [];
  #alerts: readonly Alert[] = [];

  constructor(
    tab: Tab,
    activity: TabActivity,
    frames: readonly WatchedFrame[],
    patience: Patience,
    signal: AbortSignal,
  ) {
    this.#tab = tab;
    this.#activity = activity;
    this.#frames = frames;
    this.#patience = patience;
    this.#signal = signal;
    this.#endsAt = monotonicMs() + patience.settleMs;
  }

  /** The changes in the target's frame. */
  get seen(): ObservedEffects | undefined {
    return this.#seen[0];
  }

  /** Reads the observed changes once, without waiting for requests. */
  async look(how: Settling): Promise<ObservedEffects | undefined> {
    if (this.#activity.interrupted || this.#activity.leaving) return this.seen;
    const left = this.#endsAt - monotonicMs();
    const maxMs = Math.min(CHURN_MS, left);
    const transitionsMs = Math.max(0, Math.min(TRANSITIONS_MS, left));
    const looks = this.#frames.map((watched) => {
      const answered = this.#activity.requests.takeAnswered(watched.frame.id);
      return look(watched, how, maxMs, this.#signal, { answered, transitionsMs });
    });
    this.#seen = await this.#untilInterrupted(Promise.all(looks), this.#seen);
    this.#activity.requests.looked(Math.min(...this.#seen.map((seen) => seen?.at ?? Infinity)));
    return this.seen;
  }

  /**
   * Waits until everything that the action caused has ended or is endless. `idleMs` limits the wait
   * for the first effect.
   */
  async rest(idleMs: number = this.#patience.idleMs): Promise<void> {
    const activity = this.#activity;
    const idleUntil = Math.min(monotonicMs() + idleMs, this.#endsAt);
    let waited = false;
    while (!activity.interrupted) {
      await this.#untilReleased();
      if (activity.leaving) return this.#arrive();
      const left = this.#endsAt - monotonicMs();
      const awaitMs = Math.min(activity.requests.awaitMs(), left);
      const idleLeft = idleUntil - monotonicMs();
      if (awaitMs > 0) {
        await activity.next(awaitMs, this.#signal);
        waited = true;
      } else if (waited || activity.requests.owed) {
        await this.look(activity.requests.takeOwed());
        waited = false;
        // limits a page that sends one request after another
        if (left <= 0) return;
      } else if (
        idleLeft > 0 &&
        !activity.any &&
        !this.#seen.some((seen) => seen && hasEffect(seen))
      ) {
        await this.#firstSign(idleLeft);
        await this.look('frame');
      } else return;
    }
  }

  /** Waits for the effects of an earlier run that have not been observed yet. */
  async untilExpected(): Promise<void> {
    const { expected } = this.#patience;
    if (!expected) return;
    this.#endsAt = monotonicMs() + EXPECTED_MS;
    for (;;) {
      const left = this.#endsAt - monotonicMs();
      const difference = compareEffectKinds(expected, listEffectKinds(this.effects()));
      if (difference === undefined || left <= 0 || this.#activity.interrupted) return;
      if (this.#activity.leaving) await this.#activity.next(left, this.#signal);
      else await this.#firstSign(left);
      await this.look('frame');
      await this.rest(0);
    }
  }

  /** Waits while a request of the tab is held for the user's answer; returns how long. */
  async #untilReleased(): Promise<number> {
    if (!this.#tab.holds.any) return 0;
    const since = monotonicMs();
    await this.#tab.holds.untilReleased(this.#signal);
    const heldMs = monotonicMs() - since;
    this.#endsAt += heldMs;
    return heldMs;
  }

  /** Waits for the first change or event. */
  async #firstSign(ms: number): Promise<void> {
    const looks = this.#frames.map((frame) => look(frame, 'stir', ms, this.#signal));
    await Promise.race([...looks, this.#activity.next(ms, this.#signal)]);
    for (const pending of looks) pending.catch(() => {}); // only the first sign counts
  }

  /** Waits until the new document has loaded. */
  async #arrive(): Promise<void> {
    const activity = this.#activity;
    let endsAt = monotonicMs() + this.#patience.settleMs * NAVIGATION_FACTOR;
    while (!activity.interrupted && !activity.arrived(LOAD_MS)) {
      endsAt += await this.#untilReleased();
      const left = endsAt - monotonicMs();
      if (left <= 0) return;
      await activity.next(Math.min(left, LOAD_MS), this.#signal);
    }
    if (activity.leaving && !activity.interrupted) this.#alerts = await this.#readAlerts();
    // If no document was committed (a download, an empty response), the old page is still there.
    if (!activity.leaving && !activity.interrupted) await this.look('task');
  }

  /** Reads the alerts of the new document; returns none if the page does not respond in time. */
  async #readAlerts(): Promise<readonly Alert[]> {
    using limit = new Deadline(ALERTS_MS, undefined, this.#signal);
    try {
      return await this.#untilInterrupted(
        this.#tab.frames.main.call(inPage.main.readAlerts, [], limit.signal),
        [],
      );
    } catch {
      this.#signal.throwIfAborted();
      return []; // the document was replaced again, is busy, or runs no scripts
    }
  }

  /**
   * Returns the response, or `known` if a dialog or a navigation stops the page from responding.
   */
  async #untilInterrupted<T>(answer: Promise<T>, known: T): Promise<T> {
    const { activity, off } = { activity: this.#activity, off: [] as (() => void)[] };
    const interrupted = new Promise<T>((resolve) =>
      off.push(activity.onInterruption(() => resolve(known))),
    );
    try {
      return await Promise.race([answer, interrupted]);
    } finally {
      answer.catch(() => {});
      callAll(off);
    }
  }

  /** Stops the watches in the pages, without waiting. */
  end(): void {
    if (this.#activity.interrupted || this.#activity.leaving) return;
    for (const { frame, watch } of this.#frames)
      frame.call(inPage.more.endWatch, [watch], this.#signal).catch(() => {}); // the frame is gone
  }

  effects(): Effects {
    const fromEvents = this.#activity.effects();
    const [own, ...others] = this.#frames.map(({ frame }, i) => ({ frame, seen: this.#seen[i] }));
    const seen = [own, ...others].flatMap((one) =>
      one?.seen ? [{ frame: one.frame, seen: one.seen }] : [],
    );
    const changes = seen.reduce((sum, { seen: { changes } }) => sum + changes, 0);
    const announcements = [
      ...seen.flatMap(({ seen: { announcements } }) => announcements),
      ...this.#alerts,
    ];
    const invalid = seen.flatMap(({ frame, seen: { invalid } }) =>
      invalid.map(({ element, message }) => ({
        field: buildTargetName(this.#tab, frame, element),
        message,
      })),
    );
    const targetEffects = own?.seen ? ownEffects(this.#tab, own.frame, own.seen) : {};
    const copied = seen.map(({ seen: { copied } }) => copied).find((text) => text !== undefined);
    return defined({
      ...fromEvents,
      copied,
      ...compact({ announcements, invalid, changes }),
      ...targetEffects,
    });
  }
}

const ownEffects = (
  tab: Tab,
  frame: Frame,
  { states, value, focused, focus, scrolledTo }: ObservedEffects,
): Effects =>
  defined({
    states,
    value,
    focused,
    focus: ifDefined(focus, (focus) => buildTargetName(tab, frame, focus)),
    scrolledTo,
  });
