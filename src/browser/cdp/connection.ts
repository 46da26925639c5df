// A CDP connection and its sessions: typed commands and events over any transport.
import { setMaxListeners } from 'node:events';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { attempt } from '../../core/attempt.ts';
import { defined } from '../../core/defined.ts';
import { Events, runIsolated } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import { after, monotonicMs } from '../../core/time.ts';
import { createCommandError, disconnectedFailure } from './errors.ts';

/** The interface of a CDP transport: the pipe of a Chrome that we start, or a WebSocket. */
export interface Transport {
  send(message: string): void;
  /** Set by the connection before the first message can arrive. */
  onMessage?: (message: string) => void;
  /** Called once, when no more messages can arrive. */
  onClose?: (reason: string) => void;
  close(): void;
}

type CdpCommands = ProtocolMapping.Commands;
type CdpEvents = ProtocolMapping.Events;
type CdpMethod = keyof CdpCommands;
export type CdpParams<M extends CdpMethod> = CdpCommands[M]['paramsType'][0];
type Result<M extends CdpMethod> = CdpCommands[M]['returnType'];
type EventName = keyof CdpEvents;
export type EventParams<E extends EventName> = CdpEvents[E][0];

interface PendingCommand {
  readonly method: string;
  readonly sessionId: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly forget?: () => void;
  /** The message and its send time, to send it again if Chrome is not ready for the command. */
  readonly text: string;
  readonly sentAt: number;
}

/** Chrome reports a page from the back-forward cache shortly before it accepts commands for it. */
const NOT_YET = 'Not attached to an active page';
const NOT_YET_MS = 1000;
const ASK_AGAIN_MS = 5;

interface Incoming {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

/** The events of a session: all CDP events, and `close` with the reason. */
type SessionPayloads = { readonly [E in EventName]: EventParams<E> } & { readonly close: string };

/** Commands and events of one target, or of the browser if the id is ''. */
export class CdpSession {
  readonly #events = new Events<SessionPayloads>();
  readonly #connection: CdpConnection;
  #closed: string | undefined;

  constructor(
    connection: CdpConnection,
    readonly id: string,
    /** The target of this session; undefined for the browser. */
    readonly targetId: string | undefined,
  ) {
    this.#connection = connection;
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Sends a command. Rejects with a CdpError, if the session closes, or with the signal's reason.
   */
  send<M extends CdpMethod>(
    method: M,
    params?: CdpParams<M>,
    signal?: AbortSignal,
  ): Promise<Result<M>> {
    if (this.#closed !== undefined)
      return Promise.reject(disconnectedFailure(method, this.#closed));
    return this.#connection.command(this.id, method, params, signal);
  }

  on<E extends EventName>(event: E, listener: (params: EventParams<E>) => void): () => void {
    return this.#events.on(event, listener);
  }

  /**
   * Resolves with the next event that passes `test`. Call it before the command that causes the
   * event.
   */
  async next<E extends EventName>(
    event: E,
    signal: AbortSignal | undefined,
    test?: (params: EventParams<E>) => boolean,
  ): Promise<EventParams<E>> {
    const end = new AbortController();
    const stop = (): void => end.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const offClose = this.onClose((reason) => end.abort(disconnectedFailure(event, reason)));
    try {
      return await this.#events.next(event, test, end.signal);
    } finally {
      offClose();
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Calls back once, when the target or the connection is closed. */
  onClose(listener: (reason: string) => void): () => void {
    if (this.#closed !== undefined) {
      const reason = this.#closed;
      queueMicrotask(() => listener(reason));
      return () => {};
    }
    return this.#events.on('close', listener);
  }

  /** Called by the connection only. */
  deliver(event: string, params: unknown): void {
    this.#events.emit(event as EventName, params as never);
  }

  /** Called by the connection only. */
  end(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#events.emit('close', reason);
    this.#events.clear();
  }
}

export class CdpConnection {
  readonly #transport: Transport;
  readonly #waiting = new Map<number, PendingCommand>();
  readonly #sessions = new Map<string, CdpSession>();
  /** The browser-level session. */
  readonly root: CdpSession;
  #lastId = 0;
  /** Names of the methods used so far, for OPENCHROME_TRACE_CDP. */
  readonly methodsUsed = new Set<string>();
  #commands = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.root = new CdpSession(this, '', undefined);
    this.#sessions.set('', this.root);
    // A chunk may contain many messages: an error in one must not lose the following ones.
    transport.onMessage = (message) => runIsolated(() => this.#receive(message));
    transport.onClose = (reason) => runIsolated(() => this.#end(reason));
  }

  get closed(): boolean {
    return this.root.closed;
  }

  get commandCount(): number {
    return this.#commands;
  }

  /** Returns the session that `Target.attachToTarget` (flattened) or auto-attach created. */
  session(sessionId: string): CdpSession | undefined {
    return this.#sessions.get(sessionId);
  }

  close(): void {
    this.#transport.close();
    this.#end('closed by us');
  }

  command<M extends CdpMethod>(
    sessionId: string,
    method: M,
    params: CdpParams<M> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result<M>> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const id = ++this.#lastId;
    this.#commands++;
    this.methodsUsed.add(method);
    return new Promise<Result<M>>((resolve, reject) => {
      let forget: (() => void) | undefined;
      if (signal) {
        setMaxListeners(0, signal); // each command adds a listener until its response
        const stop = (): void => {
          this.#waiting.delete(id);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', stop, { once: true });
        forget = () => signal.removeEventListener('abort', stop);
      }
      const text = JSON.stringify(
        sessionId ? { id, method, params, sessionId } : { id, method, params },
      );
      this.#waiting.set(id, {
        method,
        sessionId,
        resolve,
        reject,
        text,
        sentAt: monotonicMs(),
        ...defined({ forget }),
      });
      this.#transport.send(text);
    });
  }

  #receive(text: string): void {
    const message = parseMessage(text);
    if (!message) return this.#end('Chrome sent a message that is not valid CDP');
    if (message.id !== undefined) return this.#settle(message.id, message);
    if (message.method === 'Target.attachedToTarget')
      this.#attached(message.params as EventParams<'Target.attachedToTarget'>);
    if (message.method !== undefined)
      this.#sessions.get(message.sessionId ?? '')?.deliver(message.method, message.params);
    if (message.method === 'Target.detachedFromTarget')
      this.#detached(message.params as EventParams<'Target.detachedFromTarget'>);
  }

  #settle(id: number, message: Incoming): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return; // the caller aborted it
    if (message.error?.message === NOT_YET && monotonicMs() - waiting.sentAt < NOT_YET_MS) {
      after(ASK_AGAIN_MS, () => this.#waiting.has(id) && this.#transport.send(waiting.text));
      return;
    }
    this.#waiting.delete(id);
    waiting.forget?.();
    if (message.error) waiting.reject(createCommandError(waiting.method, message.error));
    else waiting.resolve(message.result as never);
  }

  #attached({ sessionId, targetInfo }: EventParams<'Target.attachedToTarget'>): void {
    this.#sessions.set(sessionId, new CdpSession(this, sessionId, targetInfo.targetId));
  }

  #detached({ sessionId }: EventParams<'Target.detachedFromTarget'>): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    this.#sessions.delete(sessionId);
    this.#rejectWaiting('the target is gone', (waiting) => waiting.sessionId === sessionId);
    session.end('the target is gone');
  }

  #end(reason: string): void {
    if (this.root.closed) return;
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    this.#rejectWaiting(reason, () => true);
    for (const session of sessions) session.end(reason);
  }

  #rejectWaiting(reason: string, which: (waiting: PendingCommand) => boolean): void {
    for (const [id, waiting] of this.#waiting) {
      if (!which(waiting)) continue;
      this.#waiting.delete(id);
      waiting.forget?.();
      waiting.reject(disconnectedFailure(waiting.method, reason));
    }
  }
}

/** Returns undefined if the text is not a JSON object, or if a Target event has no parameters. */
const parseMessage = (text: string): Incoming | undefined => {
  const message = parseObject(text);
  const lacksParams = !isObject(message?.params);
  return lacksParams && message?.method?.startsWith('Target.') ? undefined : message;
};

const parseObject = (text: string): Incoming | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  });

/** Throws if the value is undefined; for values that the protocol guarantees. */
export const requireField = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw fail('internal', `Chrome's response does not contain ${what}.`);
  return value;
};
