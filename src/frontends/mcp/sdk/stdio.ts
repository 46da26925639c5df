// stdio through the SDK: receives the lines that we split and detects the client's revision.
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio, type ServeStdioOptions } from '@modelcontextprotocol/server/stdio';
import { getField } from '../../../core/json.ts';
import type { Log } from '../../../core/log.ts';
import { ClientConnection } from '../client-connection.ts';
import type { Conversation } from '../conversation.ts';
import type { Methods } from '../methods.ts';
import { classify } from '../protocol.ts';
import { invalidRequest } from '../respond.ts';
import { ParkedCalls } from './parked-calls.ts';
import { createSdkServer, isListen, listUris, startWatches } from './server.ts';

type SdkTransport = NonNullable<ServeStdioOptions['transport']>;

export const createSdkConversation = (
  methods: Methods,
  log: Log,
  send: (message: unknown) => void,
): Conversation => {
  const wire: SdkTransport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => send(message),
  };
  let server: Server | undefined;
  const parked = new ParkedCalls();
  const served = serveStdio(() => (server = createSdkServer(methods, parked)), {
    transport: wire,
    onerror: (error) => log.debug('mcp sdk', error.message),
  });
  const listeners = new StdioListeners(methods, (method, params) =>
    server?.notification({ method, params }).catch(() => {}),
  );
  const deliver = (value: unknown): void => wire.onmessage?.(value as never);
  return {
    receive: (value) => {
      const message = classify(value);
      if (message.kind === 'invalid') return send(invalidRequest(message.id));
      if (!listeners.concerns(value)) return deliver(value);
      listeners
        .follow(value)
        .catch((error: unknown) => log.defect(error))
        .finally(() => deliver(value));
    },
    close: () => {
      listeners.close();
      void served.close();
    },
  };
};

/** The watches of the client's `subscriptions/listen` requests; the SDK answers these requests. */
class StdioListeners {
  readonly #methods: Methods;
  readonly #connection: ClientConnection;
  /** The resources that each request follows. */
  readonly #uris = new Map<unknown, readonly string[]>();

  constructor(methods: Methods, notify: ClientConnection['notify']) {
    this.#methods = methods;
    this.#connection = new ClientConnection(notify);
  }

  /** True for a request to listen, and for the message that cancels one. */
  concerns(message: unknown): boolean {
    return isListen(message) || this.#uris.has(readCancelledId(message));
  }

  async follow(message: unknown): Promise<void> {
    if (!isListen(message)) return this.#end(readCancelledId(message));
    this.#uris.set(getField(message, 'id'), listUris(message));
    const connection = this.#connection;
    const { signal } = new AbortController();
    await startWatches(this.#methods, message, { signal, notify: connection.notify, connection });
  }

  close(): void {
    this.#connection[Symbol.dispose]();
  }

  #end(id: unknown): void {
    const ended = this.#uris.get(id) ?? [];
    this.#uris.delete(id);
    const wanted = new Set([...this.#uris.values()].flat());
    for (const uri of ended) if (!wanted.has(uri)) this.#connection.unwatch(uri);
  }
}

const readCancelledId = (message: unknown): unknown =>
  getField(message, 'method') === 'notifications/cancelled'
    ? getField(getField(message, 'params'), 'requestId')
    : undefined;
