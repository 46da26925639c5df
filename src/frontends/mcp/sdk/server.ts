// Connects our methods to the SDK's server: the 2026 protocol, sessions and event streams.
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { fail } from '../../../core/failure.ts';
import { getField, isUnknownArray } from '../../../core/json.ts';
import { ClientConnection } from '../client-connection.ts';
import { fromHeaders } from '../client-facts.ts';
import { type AskClient, offersForms } from '../elicitation.ts';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from '../instructions.ts';
import type { Exchange, Methods, RpcMethod } from '../methods.ts';
import { RpcError, type RpcParams, WATCH_METHOD } from '../protocol.ts';
import { combineSignals } from '../signals.ts';
import { CAPABILITIES_KEY } from '../task-extension.ts';
import type { ParkedCalls } from './parked-calls.ts';

// subscriptions/listen of the 2026 protocol: starts the watches whose changes the client wants.

export const isListen = (message: unknown): boolean =>
  getField(message, 'method') === 'subscriptions/listen';

const readFilter = (message: unknown): unknown =>
  getField(getField(message, 'params'), 'notifications');

/** The resources that the client wants to follow. */
export const listUris = (message: unknown): string[] => {
  const uris = getField(readFilter(message), 'resourceSubscriptions');
  return isUnknownArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
};

/** The SDK answers the request; a resource that does not exist never changes. */
export const startWatches = async (
  methods: Methods,
  message: unknown,
  exchange: Exchange,
): Promise<void> => {
  if (getField(readFilter(message), 'promptsListChanged') === true)
    await methods.get('prompts/list')?.({}, exchange);
  const subscribe = methods.get('resources/subscribe');
  for (const uri of listUris(message))
    await subscribe?.({ uri }, exchange).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
};

/** The low-level server does not check arguments, so that our pipeline reports invalid ones. */
export const createSdkServer = (methods: Methods, parked: ParkedCalls): Server => {
  const server = new Server(SERVER_INFO, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATOR,
  });
  const connection = new ClientConnection((method, params) =>
    server.notification({ method, params }).catch(() => {}),
  ); // a notification that cannot be sent any more is not needed
  Object.assign(server, { onclose: () => connection[Symbol.dispose]() });
  for (const [name, method] of methods) {
    if (name.startsWith('tasks/') || name === WATCH_METHOD)
      server.setRequestHandler(
        name,
        ANY_PARAMS,
        (params, context) =>
          serve({ server, connection, parked }, method, params, context) as never,
      );
    else
      server.setRequestHandler(
        name as 'tools/call',
        (request, context) =>
          serve({ server, connection, parked }, method, request.params, context) as never,
      );
  }
  return server;
};

interface SdkSession {
  readonly server: Server;
  readonly connection: ClientConnection;
  readonly parked: ParkedCalls;
}

const serve = async (
  session: SdkSession,
  method: RpcMethod,
  params: RpcParams | undefined,
  context: ServerContext,
): Promise<object> => {
  // A request is cancelled if its connection closes: without resumable streams, its response could
  // not be delivered.
  const gone = combineSignals([context.mcpReq.signal, context.http?.req?.signal], () =>
    fail('cancelled', 'The client cancelled the call or disconnected.'),
  );
  const notify: Exchange['notify'] = (name, body) =>
    context.mcpReq.notify({ method: name, params: body });
  const headers = context.http?.req?.headers;
  const client = fromHeaders((name) => headers?.get(name));
  const exchange = { signal: gone.signal, notify, envelope: context.mcpReq.envelope, client };
  try {
    return context.mcpReq.envelope === undefined
      ? await method(params ?? {}, { ...exchange, ...findConnection(session, context) })
      : await serveRound(session.parked, method, params ?? {}, exchange, context);
  } finally {
    gone[Symbol.dispose]();
  }
};

/** The ways to a client of the 2025 protocol outside of the response. */
const findConnection = (
  { server, connection }: SdkSession,
  context: ServerContext,
): Pick<Exchange, 'connection' | 'ask' | 'clientInfo'> => ({
  connection,
  ask: findAsk(server, context),
  clientInfo: server.getClientVersion(),
});

/** A question to the user of a 2026 client is a result, which the client answers in a new request. */
const serveRound = (
  parked: ParkedCalls,
  method: RpcMethod,
  params: RpcParams,
  exchange: Exchange,
  { mcpReq }: ServerContext,
): Promise<object> => {
  const mayAsk =
    mcpReq.method === 'tools/call' && offersForms(getField(exchange.envelope, CAPABILITIES_KEY));
  if (!mayAsk) return method(params, exchange);
  const round = { state: mcpReq.requestState<string>(), responses: mcpReq.inputResponses };
  // The request that started the call may have ended when the call reports progress.
  const notify: Exchange['notify'] = async (name, body) => {
    await Promise.resolve(exchange.notify(name, body)).catch(() => {});
  };
  return parked.run(params['name'], round, exchange.signal, (ask, signal) =>
    method(params, { ...exchange, notify, signal, ask }),
  );
};

/** Asks the client on the stream of its request; undefined if it does not offer elicitation. */
const findAsk = (server: Server, context: ServerContext): AskClient | undefined => {
  if (!offersForms(server.getClientCapabilities())) return undefined;
  return (method, params, signal) =>
    context.mcpReq.send({ method, params }, ANY_RESULT, { signal, timeout: MAX_ANSWER_MS });
};

/** Longer than any question: the question has its own timeout. */
const MAX_ANSWER_MS = 3_600_000;
const ANY_RESULT = z.looseObject({});

/**
 * Earlier protocol revisions used the same method names: the SDK treats them as custom methods only
 * if they have a schema.
 */
const ANY_PARAMS = { params: z.looseObject({}) };

/** The server never requests structured input from the client, so no validator is loaded. */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error('this server never requests structured input');
  },
};
