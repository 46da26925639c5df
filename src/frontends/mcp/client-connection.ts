// A client of the server: the changes that it watches, notifications to it, and requests to it.
import { getField, isRecord } from '../../core/json.ts';
import type { AskClient } from './elicitation.ts';
import { type Id, RPC, RpcError, type RpcParams } from './protocol.ts';

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

export interface ClientRequests {
  readonly ask: AskClient;
  /** Settles the request that the message responds to. */
  receive(response: object): void;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Requests of the server to one client of the 2025 protocol, and the responses to them. */
const createNumberedIds = (): (() => string) => {
  let last = 0;
  return () => `openchrome-${++last}`;
};

export const createClientRequests = (
  send: (message: unknown) => void,
  createId = createNumberedIds(),
): ClientRequests => {
  const pending = new Map<Id, PendingRequest>();
  return {
    ask: (method, params, signal) =>
      new Promise((resolve, reject) => {
        const id = createId();
        const cancel = (): void => {
          pending.delete(id);
          send({
            jsonrpc: '2.0',
            method: 'notifications/cancelled',
            params: { requestId: id, reason: 'The question has ended.' },
          });
          reject(signal.reason as Error);
        };
        if (signal.aborted) return reject(signal.reason as Error);
        signal.addEventListener('abort', cancel, { once: true });
        const settle = (): void => signal.removeEventListener('abort', cancel);
        pending.set(id, {
          resolve: (result) => (settle(), resolve(result)),
          reject: (error) => (settle(), reject(error)),
        });
        send({ jsonrpc: '2.0', id, method, params });
      }),
    receive: (response) => {
      const id = getField(response, 'id') as Id;
      const request = pending.get(id);
      pending.delete(id);
      const error = getField(response, 'error');
      if (isRecord(error)) request?.reject(new Error(String(error['message'])));
      else request?.resolve(getField(response, 'result'));
    },
  };
};
