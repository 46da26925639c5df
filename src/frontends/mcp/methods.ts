// The table of MCP methods, for all transports and protocol revisions.
import { getOrCreate } from '../../core/collections.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { chooseListing, type ListedTool } from './tool-list.ts';
import { callTool, listTools } from './tool-methods.ts';
import type { ClientConnection } from './client-connection.ts';
import type { ClientFacts, ClientPreferences } from './client-facts.ts';
import type { AskClient } from './elicitation.ts';
import { type METHOD_NAMES, STORED_METHODS } from './method-names.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { taskMethods } from './task-extension.ts';

/** The parts of the engine that the methods use. A client must not answer its own questions. */
export type ClientEngine = Omit<
  Engine,
  'health' | 'listTabs' | 'admitHost' | 'stop' | 'waiting' | 'takeOver'
>;

/** A request in progress. */
export interface Exchange {
  /** Aborts if the client cancels the request or disconnects; its reason is a failure. */
  readonly signal: AbortSignal;
  readonly notify: (method: string, params: RpcParams) => unknown;
  /** Protocol and client fields of the request's `_meta`, if the SDK has removed them from it. */
  readonly envelope?: unknown;
  /** The `clientInfo` of the handshake; requests of the 2026 protocol have it in their `_meta`. */
  readonly clientInfo?: unknown;
  readonly client?: ClientFacts;
  /** Sends notifications between requests; undefined if the client has no stream for them. */
  readonly connection?: ClientConnection | undefined;
  /** Sends a request to the client; undefined if the client does not offer elicitation. */
  readonly ask?: AskClient | undefined;
}

export type RpcMethod = (params: RpcParams, exchange: Exchange) => Promise<object>;
export type Methods = ReadonlyMap<string, RpcMethod>;

export type StoredMethods = Record<(typeof STORED_METHODS)[number], RpcMethod>;

/** The methods throw only RpcError. */
export const createMethods = (engine: ClientEngine): Methods => {
  const listed = createListing(engine);
  const table: Record<
    (typeof METHOD_NAMES)[number],
    (params: RpcParams, exchange: Exchange) => Promise<object> | object
  > = {
    'tools/list': (_, { client }) => ({ tools: listed(client?.wishes) }),
    'tools/call': (params, exchange) => callTool(engine, params, exchange),
    ...createStoredMethods(engine),
    ...taskMethods(engine),
  };
  return new Map(
    Object.entries(table).map(([name, method]) => [name, withoutDefects(engine, method)]),
  );
};

const createStoredMethods = (engine: ClientEngine): StoredMethods => {
  let loaded: Promise<StoredMethods> | undefined;
  const load = (): Promise<StoredMethods> =>
    (loaded ??= import('./stored-methods.ts').then(({ buildStoredMethods }) =>
      buildStoredMethods(engine),
    ));
  const entries = STORED_METHODS.map((name): [string, RpcMethod] => [
    name,
    async (...given) => (await load())[name](...given),
  ]);
  return Object.fromEntries(entries) as StoredMethods;
};

/** Caches one list per combination of options: building the schemas takes time. */
const createListing = ({
  tools,
  config,
}: ClientEngine): ((wishes?: ClientPreferences) => ListedTool[]) => {
  const made = new Map<string, ListedTool[]>();
  return (wishes) => {
    const options = chooseListing(config, wishes);
    return getOrCreate(made, String(Object.values(options)), () => listTools(tools, options));
  };
};

/**
 * Replaces an unexpected error by a reference to its log entry: its text may contain private data.
 */
const withoutDefects =
  (
    engine: ClientEngine,
    method: (params: RpcParams, exchange: Exchange) => Promise<object> | object,
  ): RpcMethod =>
  async (params, exchange) => {
    try {
      return await method(params, exchange);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      throw new RpcError(RPC.internal, 'An unexpected error occurred in the server.', {
        log_id: engine.log.defect(error),
      });
    }
  };
