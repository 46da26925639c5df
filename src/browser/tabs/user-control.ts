// The user's part in a tab: its control by the user, and requests that wait for the user's answer.
import { Events } from '../../core/events.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { Deadline } from '../../core/time.ts';

export class UserControl {
  #holder: string | undefined;
  readonly #events = new Events<{ freed: void }>();

  /** The viewer that has the tab; undefined if agents may act. */
  get holder(): string | undefined {
    return this.#holder;
  }

  take(viewer: string): void {
    this.#holder = viewer;
  }

  release(): void {
    this.#holder = undefined;
    this.#events.emit('freed', undefined);
  }

  /** Waits until agents may act. */
  async untilFree(signal: AbortSignal): Promise<void> {
    while (this.#holder !== undefined) await this.#events.next('freed', undefined, signal);
  }

  /** Throws `human_has_control` if the user has the tab. */
  requireFree(tabId: string): void {
    if (this.#holder !== undefined) throw humanHasControl(tabId);
  }
}

export const humanHasControl = (tabId: string): Failure =>
  fail('human_has_control', 'The user has taken this tab over.', { tabId });

/**
 * Counts the requests of a tab that wait for the user's answer, so that actions wait for them too.
 */
export class PendingApprovals {
  #count = 0;
  readonly #events = new Events<{ held: void; released: void }>();

  get any(): boolean {
    return this.#count > 0;
  }

  /** Dispose the result when the request was answered. */
  add(): Disposable {
    if (this.#count++ === 0) this.#events.emit('held', undefined);
    return {
      [Symbol.dispose]: () => {
        if (--this.#count === 0) this.#events.emit('released', undefined);
      },
    };
  }

  /** Waits until no request is held. */
  async untilReleased(signal: AbortSignal): Promise<void> {
    if (this.any) await this.#events.next('released', undefined, signal);
  }

  /** Stops the clock of a deadline while a request is held. */
  pauseWhileHeld(deadline: Deadline): Disposable {
    let pause = this.any ? deadline.pause() : undefined;
    const off = [
      this.#events.on('held', () => (pause = deadline.pause())),
      this.#events.on('released', () => pause?.[Symbol.dispose]()),
    ];
    return {
      [Symbol.dispose]: () => {
        for (const unsubscribe of off) unsubscribe();
      },
    };
  }
}
