// Small pictures of pages after acting calls, taken while a viewer is connected.
import { after } from '../../core/time.ts';
import type { Observer } from '../../features/observe/observer.ts';
import type { EndedCall } from '../../toolkit/context.ts';
import { formatCallIdentity } from './recent-calls.ts';

const MAX_KEPT = 300;
const MAX_BYTES = 8 * 1024 * 1024;
/** A tab that works again within this time gets no picture of the earlier call. */
const IDLE_MS = 400;
const CAPTURE_MS = 3_000;

export class Thumbnails {
  readonly #observer: Observer;
  readonly #onAdded: (key: string) => void;
  readonly #kept = new Map<string, Buffer>();
  /** The last acting call of each tab, until its picture is taken. */
  readonly #latest = new Map<string, EndedCall['entry']>();
  #bytes = 0;

  constructor(observer: Observer, onAdded: (key: string) => void) {
    this.#observer = observer;
    this.#onAdded = onAdded;
  }

  get keys(): string[] {
    return [...this.#kept.keys()];
  }

  find(key: string): Buffer | undefined {
    return this.#kept.get(key);
  }

  /** Takes a picture of the tab after an acting call, if the tab is then idle. */
  add({ entry, acts }: EndedCall): void {
    const { tabId } = entry;
    if (!acts || tabId === undefined) return;
    this.#latest.set(tabId, entry);
    after(IDLE_MS, () => {
      if (this.#latest.get(tabId) !== entry) return;
      this.#latest.delete(tabId);
      // The tab can be closed, or its page hangs.
      this.#capture(tabId, formatCallIdentity(entry)).catch(() => {});
    });
  }

  async #capture(tabId: string, key: string): Promise<void> {
    if (this.#observer.isBusy(tabId)) return;
    const signal = AbortSignal.timeout(CAPTURE_MS);
    const picture = await this.#observer.captureThumbnail(tabId, signal);
    this.#kept.set(key, picture);
    this.#bytes += picture.length;
    for (const [old, { length }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#bytes <= MAX_BYTES) break;
      this.#kept.delete(old);
      this.#bytes -= length;
    }
    this.#onAdded(key);
  }
}
