// /mcp: plain requests get plain JSON; sessions and the 2026 protocol go to the SDK.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { attempt } from '../../../core/attempt.ts';
import { fail, type Failure } from '../../../core/failure.ts';
import { createSecretToken } from '../../../core/ids.ts';
import { getField, isRecord } from '../../../core/json.ts';
import type { Log } from '../../../core/log.ts';
import { type ClientFacts, FACT_HEADERS, fromHeaders } from '../client-facts.ts';
import { type ClientRequests, createClientRequests } from '../client-connection.ts';
import { offersForms } from '../elicitation.ts';
import type { Exchange, Methods } from '../methods.ts';
import {
  claimsStateless,
  classify,
  HANDSHAKE_VERSIONS,
  isStatelessVersion,
  type Request,
  type Request as JsonRpcRequest,
  RPC,
  type RpcResponse,
} from '../protocol.ts';
import { answerRequestMessage, respond } from '../respond.ts';
import type { SdkEndpoint, SdkWay } from '../sdk/http.ts';
import { CAPABILITIES_KEY } from '../task-extension.ts';
import {
  createClientGoneSignal,
  sendEmpty,
  sendFailure,
  sendJson,
  sendWebResponse,
  toWebRequest,
} from './http-messages.ts';

// Answers a POST without a session: one JSON document, or a stream if progress is requested or if
// the call has a question to the user.

interface PlainContext {
  readonly methods: Methods;
  readonly client: ClientFacts;
  /** The requests to clients that wait for a response, which arrives as another POST. */
  readonly asking: Set<ClientRequests>;
}

const answerPlainly = async (
  { methods, client, asking }: PlainContext,
  response: ServerResponse,
  body: unknown,
): Promise<void> => {
  const exchange: Exchange = { signal: createClientGoneSignal(response), notify: () => {}, client };
  const answer = await answerRequestMessage(body, {
    onRequest: (request) => respond(methods, request, exchange),
    onNotification: () => {},
    onResponse: (received) => {
      for (const requests of asking) requests.receive(received);
    },
  });
  if (answer) sendJson(response, [answer].flat().every(isInvalid) ? 400 : 200, answer);
  else sendEmpty(response, 202);
};

const isInvalid = (answer: RpcResponse): boolean =>
  'error' in answer && answer.error.code === RPC.invalidRequest;

const openStream = (response: ServerResponse): void => {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
};

/**
 * Answers with a stream: an event for each progress message and question, the response last. One
 * JSON document if the client did not request progress and there was no question.
 */
const answerAsStream = async (
  { methods, client, asking }: PlainContext,
  response: ServerResponse,
  request: Request,
): Promise<void> => {
  const send = (message: unknown): void => {
    openStream(response);
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  const notify: Exchange['notify'] = (method, params) => send({ jsonrpc: '2.0', method, params });
  if (wantsProgress(request)) openStream(response);
  // Secret ids: only the client that received the question can answer it.
  const requests = createClientRequests(send, createSecretToken);
  asking.add(requests);
  const answer = await respond(methods, request, {
    signal: createClientGoneSignal(response),
    notify,
    client,
    ask: mayBeAsked(request) ? requests.ask : undefined,
  });
  asking.delete(requests);
  if (!response.headersSent) return sendJson(response, 200, answer);
  send(answer);
  response.end();
};

interface EndpointOptions {
  readonly methods: Methods;
  readonly log: Log;
  readonly maxRequestBytes: number;
  /** Clients may set their folder: true only if all of them belong to the user. */
  readonly trustsClients?: boolean;
  /** Throws if the server accepts no more calls: the client may then call another server. */
  readonly admit?: () => void;
}

export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The number of open sessions. */
  sessions(): number;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

export const createEndpoint = ({
  methods,
  log,
  maxRequestBytes,
  trustsClients = false,
  admit,
}: EndpointOptions): McpEndpoint => {
  let sdk: SdkEndpoint | undefined;
  // Loaded by the first request that needs it: plain requests do not.
  const loadSdk = async (): Promise<SdkEndpoint> => {
    const { createSdkEndpoint } = await import('../sdk/http.ts');
    return (sdk ??= createSdkEndpoint(methods, log));
  };
  const hasSession = (id: string): boolean => sdk?.hasSession(id) === true;
  const asking = new Set<ClientRequests>();

  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = parseJson(await readBody(request, maxRequestBytes));
    if (body === undefined)
      return sendFailure(response, fail('bad_request', 'The body is not JSON.'), RPC.parseError);
    admit?.();
    const way = chooseWay(request, body, hasSession);
    const client = fromHeaders((name) => header(request, name));
    const context: PlainContext = { methods, client, asking };
    if (way === 'plain') return answerPlainly(context, response, body);
    if (way === 'stream') return answerAsStream(context, response, body as JsonRpcRequest);
    const made = await (await loadSdk()).answer(way, toWebRequest(request, response), body);
    await sendWebResponse(response, made);
  };

  const onSession = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = header(request, 'mcp-session-id');
    if (id === undefined)
      throw notAllowed(
        response,
        'POST',
        `${request.method} requires a session, and this request has no session id.`,
      );
    if (!sdk?.hasSession(id)) throw sessionNotFound();
    await sendWebResponse(response, await sdk.answer('session', toWebRequest(request, response)));
  };

  return {
    handle: async (request, response) => {
      if (!trustsClients) for (const name of FACT_HEADERS) delete request.headers[name];
      if (request.method === 'POST') return post(request, response);
      if (request.method === 'GET' || request.method === 'DELETE')
        return onSession(request, response);
      throw notAllowed(response, 'POST, GET, DELETE', `${request.method} is not supported here.`);
    },
    sessions: () => sdk?.sessions() ?? 0,
    close: async () => sdk?.close(),
  };
};

const notAllowed = (response: ServerResponse, allow: string, message: string): Failure => {
  response.setHeader('allow', allow);
  return fail('method_not_allowed', message);
};

const sessionNotFound = (): Failure =>
  fail('not_found', 'The session does not exist.', {
    hint: 'Start a new session with initialize.',
  });

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Returns undefined for invalid JSON: no JSON text parses to undefined. */
const parseJson = (text: string): unknown => attempt(() => JSON.parse(text));

/** Chooses plain JSON unless the request needs a session or a stream. */
const chooseWay = (
  request: IncomingMessage,
  body: unknown,
  hasSession: (id: string) => boolean,
): SdkWay | 'plain' | 'stream' => {
  const version = header(request, 'mcp-protocol-version');
  if (claimsStateless(body) || (version !== undefined && isStatelessVersion(version)))
    return 'stateless';
  if (version !== undefined && !HANDSHAKE_VERSIONS.some((known) => known === version)) {
    throw fail('bad_request', 'The MCP-Protocol-Version is not supported.', {
      supported: HANDSHAKE_VERSIONS,
      hint: 'Omit the header, or send one of the supported versions.',
    });
  }
  const session = header(request, 'mcp-session-id');
  if (session !== undefined && !hasSession(session)) throw sessionNotFound();
  if (!acceptsStream(request)) return 'plain';
  if (session !== undefined) return 'session';
  if (isRecord(body) && body['method'] === 'initialize') return 'open';
  return wantsProgress(body) || mayBeAsked(body) ? 'stream' : 'plain';
};

const acceptsStream = ({ headers: { accept = '' } }: IncomingMessage): boolean =>
  accept.includes('text/event-stream') && accept.includes('application/json');

const readRequestMeta = (body: unknown): unknown => {
  const message = classify(body);
  return message.kind === 'request' ? message.message.params?.['_meta'] : undefined;
};

/** A client without a session gets a stream if it requests progress. */
const wantsProgress = (body: unknown): boolean =>
  getField(readRequestMeta(body), 'progressToken') !== undefined;

/** A client without a session declares in each request that it accepts questions to its user. */
const mayBeAsked = (body: unknown): boolean =>
  offersForms(getField(readRequestMeta(body), CAPABILITIES_KEY));

/** Reads the body of a request; the limit applies while it arrives. */
const readBody = async (request: IncomingMessage, maxBytes: number): Promise<string> => {
  const tooLarge = (): Error =>
    fail('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // The request is not destroyed after an error: its connection still has to carry the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
