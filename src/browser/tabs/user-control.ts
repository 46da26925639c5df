// The user's control of a tab: actions of agents wait until it ends; reads continue.
import { Events } from '../../core/events.ts';
import { fail, type Failure } from '../../core/failure.ts';

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
