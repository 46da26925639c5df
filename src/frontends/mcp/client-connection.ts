// A client that receives notifications between requests, and the changes that it watches.
import { RPC, RpcError, type RpcParams } from './protocol.ts';

/** A client cannot make the server watch any number of files. */
const MAX_WATCHES = 100;

export class ClientConnection implements Disposable {
  readonly notify: (method: string, params: RpcParams) => unknown;
  readonly #watches = new Map<string, Disposable>();
  #isClosed = false;

  constructor(notify: (method: string, params: RpcParams) => unknown) {
    this.notify = notify;
  }

  /** Starts a watch unless it has one with this key; false if there is nothing to watch. */
  async watch(key: string, open: () => Promise<Disposable | undefined>): Promise<boolean> {
    if (this.#watches.has(key)) return true;
    if (this.#watches.size >= MAX_WATCHES)
      throw new RpcError(RPC.refused, `A client can watch at most ${MAX_WATCHES} resources.`);
    const watch = await open();
    if (!watch) return false;
    if (this.#isClosed || this.#watches.has(key)) watch[Symbol.dispose]();
    else this.#watches.set(key, watch);
    return true;
  }

  unwatch(key: string): void {
    this.#watches.get(key)?.[Symbol.dispose]();
    this.#watches.delete(key);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const key of [...this.#watches.keys()]) this.unwatch(key);
  }
}
