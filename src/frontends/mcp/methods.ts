// The table of MCP methods, for all transports and protocol revisions.
import type { Engine } from '../../pipeline/engine.ts';
import { callTool } from './call-tool.ts';
import type { ClientFacts, Wishes } from './client-facts.ts';
import type { AskClient } from './elicitation.ts';
import { listTools, type ListedTool } from './tool-listing.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { TASK_METHODS, taskMethods } from './task-extension.ts';

/** The parts of the engine that the methods use. A client must not answer its own questions. */
export type Served = Omit<
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
  readonly client?: ClientFacts;
  /** Sends a request to the client; undefined if the client does not offer elicitation. */
  readonly ask?: AskClient | undefined;
}

export type RpcMethod = (params: RpcParams, exchange: Exchange) => Promise<object>;
export type Methods = ReadonlyMap<string, RpcMethod>;

export const METHOD_NAMES = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  ...TASK_METHODS,
] as const;

/** The methods throw only RpcError. */
export const createMethods = (engine: Served): Methods => {
  const listed = createListing(engine);
  const table: Record<
    (typeof METHOD_NAMES)[number],
    (params: RpcParams, exchange: Exchange) => Promise<object> | object
  > = {
    'tools/list': (_, { client }) => ({ tools: listed(client?.wishes) }),
    'tools/call': (params, exchange) => callTool(engine, params, exchange),
    'resources/list': async (_, { client }) => ({
      resources: await engine.resources.list(client?.session),
    }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': (params, { client }) => readResource(engine, params, client?.session),
    ...taskMethods(engine),
  };
  return new Map(
    Object.entries(table).map(([name, method]) => [name, withoutDefects(engine, method)]),
  );
};

/** Caches one list per combination of options: building the schemas takes time. */
const createListing = ({ tools, config }: Served): ((wishes?: Wishes) => ListedTool[]) => {
  const made = new Map<string, ListedTool[]>();
  return ({
    slim = config.slim,
    allTools = config.allTools,
    structuredContent = config.structuredContent,
  } = {}) => {
    const key = String([slim, allTools, structuredContent]);
    const listed = made.get(key) ?? listTools(tools, { slim, allTools, structuredContent });
    made.set(key, listed);
    return listed;
  };
};

const readResource = async (
  engine: Served,
  params: RpcParams,
  session: string | undefined,
): Promise<object> => {
  const { uri } = params;
  if (typeof uri !== 'string')
    throw new RpcError(RPC.invalidParams, 'resources/read needs the uri of a resource.');
  const content = await engine.resources.read(uri, session);
  if (!content) throw new RpcError(RPC.invalidParams, 'The resource does not exist.', { uri });
  return { contents: [{ uri, ...content }] };
};

/**
 * Replaces an unexpected error by a reference to its log entry: its text may contain private data.
 */
const withoutDefects =
  (
    engine: Served,
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
