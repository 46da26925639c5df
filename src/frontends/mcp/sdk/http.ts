// The SDK's side of HTTP: sessions with event streams for the 2025 protocol, and the stateless 2026 protocol.
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { secretToken } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { Methods } from '../methods.ts';
import { createSdkServer } from './server.ts';

/** `open` begins a session, `session` goes on with one, `stateless` needs none. */
export type SdkWay = 'open' | 'session' | 'stateless';

export interface SdkEndpoint {
  /** `body`: the parsed body of a POST. A session must exist. */
  answer(way: SdkWay, request: Request, body?: unknown): Promise<Response>;
  hasSession(id: string): boolean;
  sessions(): number;
  close(): Promise<void>;
}

/** Clients rarely say goodbye: beyond this many sessions the one that was silent longest is ended. */
const MAX_SESSIONS = 100;

export const createSdkEndpoint = (methods: Methods, log: Log): SdkEndpoint => {
  const onerror = (error: Error): void => log.debug('mcp sdk', error.message);
  const stateless = createMcpHandler(() => createSdkServer(methods), { onerror });
  /** In the order of their last use. */
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const open = async (request: Request, body: unknown): Promise<Response> => {
    const server = createSdkServer(methods);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: secretToken,
      onsessioninitialized: async (id) => {
        sessions.set(id, transport);
        if (sessions.size > MAX_SESSIONS) await sessions.values().next().value?.close();
      },
    });
    Object.assign(transport, { onclose: () => sessions.delete(transport.sessionId ?? ''), onerror });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await server.close(); // refused: nothing was begun
    return response;
  };

  const goOn = async (request: Request, body: unknown): Promise<Response> => {
    const id = request.headers.get('mcp-session-id') ?? '';
    const transport = sessions.get(id);
    if (!transport) throw new Error('no such session');
    sessions.delete(id);
    sessions.set(id, transport);
    return transport.handleRequest(request, { parsedBody: body });
  };

  return {
    answer: (way, request, body) => {
      if (way === 'open') return open(request, body);
      return way === 'session' ? goOn(request, body) : stateless.fetch(request, { parsedBody: body });
    },
    hasSession: (id) => sessions.has(id),
    sessions: () => sessions.size,
    close: async () => {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      await stateless.close();
    },
  };
};
