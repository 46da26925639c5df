// Counts the requests of a tab that wait for the user's answer, so that actions wait for them too.
import { Events } from '../../core/events.ts';
import type { Deadline } from '../../core/time.ts';

export class Holds {
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
