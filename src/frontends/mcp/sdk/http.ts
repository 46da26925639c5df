// HTTP through the SDK: sessions with event streams (2025) and the stateless protocol (2026).
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { fail } from '../../../core/failure.ts';
import { createSecretToken } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { monotonicMs } from '../../../core/time.ts';
import { ClientConnection } from '../client-connection.ts';
import { fromHeaders } from '../client-facts.ts';
import type { Methods } from '../methods.ts';
import { ParkedCalls } from './parked-calls.ts';
import { createSdkServer, isListen, startWatches } from './server.ts';

/** `open` starts a session, `session` continues one, `stateless` needs none. */
export type SdkWay = 'open' | 'session' | 'stateless';

export interface SdkEndpoint {
  /** `body`: the parsed body of a POST. A session must exist. */
  answer(way: SdkWay, request: Request, body?: unknown): Promise<Response>;
  hasSession(id: string): boolean;
  sessions(): number;
  close(): Promise<void>;
}

/** Clients rarely end their sessions: above this number, a session that is not in use is ended. */
const MAX_SESSIONS = 100;
/** A session without a request for this long counts as abandoned. */
const IDLE_MS = 30 * 60_000;

interface OpenSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Monotonic time of the last request; undefined before the first one after `initialize`. */
  lastUsedAt?: number;
}

/**
 * Finds a session to end: a never used one first, otherwise an idle one. A client cannot end the
 * sessions that others use.
 */
const findIdle = (sessions: Iterable<OpenSession>): OpenSession | undefined => {
  const all = [...sessions];
  const unused = all.find(({ lastUsedAt }) => lastUsedAt === undefined);
  return unused ?? all.find(({ lastUsedAt = 0 }) => monotonicMs() - lastUsedAt > IDLE_MS);
};

export const createSdkEndpoint = (methods: Methods, log: Log): SdkEndpoint => {
  const onerror = (error: Error): void => log.debug('mcp sdk', error.message);
  const parked = new ParkedCalls();
  const stateless = createMcpHandler(() => createSdkServer(methods, parked), { onerror });
  /** Ends each open request for notifications. */
  const listeners = new Set<() => void>();
  /** Ordered by last use. */
  const sessions = new Map<string, OpenSession>();

  const makeRoom = async (): Promise<void> => {
    if (sessions.size < MAX_SESSIONS) return;
    const idle = findIdle(sessions.values());
    if (!idle)
      throw fail('too_many_sessions', `All ${MAX_SESSIONS} sessions of this server are in use.`);
    await idle.transport.close();
  };

  const open = async (request: Request, body: unknown): Promise<Response> => {
    await makeRoom();
    const server = createSdkServer(methods, parked);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: createSecretToken,
      onsessioninitialized: (id) => void sessions.set(id, { transport }),
    });
    Object.assign(transport, {
      onclose: () => sessions.delete(transport.sessionId ?? ''),
      onerror,
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await server.close(); // refused: no session was started
    return response;
  };

  const goOn = async (request: Request, body: unknown): Promise<Response> => {
    const id = request.headers.get('mcp-session-id') ?? '';
    const session = sessions.get(id);
    if (!session) throw new Error('no such session');
    sessions.delete(id);
    sessions.set(id, { ...session, lastUsedAt: monotonicMs() });
    return session.transport.handleRequest(request, { parsedBody: body });
  };

  /** A handler for each listener: the SDK sends the notifications of one handler to all of them. */
  const listen = async (request: Request, body: unknown): Promise<Response> => {
    const handler = createMcpHandler(() => createSdkServer(methods, parked), { onerror });
    const connection = new ClientConnection((method, { uri }) => {
      if (typeof uri === 'string') handler.notify.resourceUpdated(uri);
      else if (method.startsWith('notifications/prompts/')) handler.notify.promptsChanged();
    });
    const end = (): void => {
      listeners.delete(end);
      connection[Symbol.dispose]();
      void handler.close();
    };
    listeners.add(end);
    request.signal.addEventListener('abort', end);
    // The client receives the acknowledgement after the watches have started.
    const response = await handler.fetch(request, { parsedBody: body });
    const client = fromHeaders((name) => request.headers.get(name));
    await startWatches(methods, body, {
      signal: request.signal,
      notify: connection.notify,
      connection,
      client,
    });
    return response;
  };

  const WAYS: Readonly<Record<SdkWay, (request: Request, body: unknown) => Promise<Response>>> = {
    open,
    session: goOn,
    stateless: (request, body) =>
      isListen(body) ? listen(request, body) : stateless.fetch(request, { parsedBody: body }),
  };

  return {
    answer: (way, request, body) => WAYS[way](request, body),
    hasSession: (id) => sessions.has(id),
    sessions: () => sessions.size,
    close: async () => {
      for (const end of [...listeners]) end();
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      await stateless.close();
    },
  };
};
