// resources/*, prompts/* and completion/complete; loaded by their first request.
import { fail, Failure, type FailureDetails } from '../../core/failure.ts';
import { getField, isRecord } from '../../core/json.ts';
import { quoteText } from '../../core/text.ts';
import { parseResourceUri } from '../../features/resources/stored-resources.ts';
import type { Exchange, ClientEngine, StoredMethods } from './methods.ts';
import { RPC, RpcError, type RpcParams, WATCH_METHOD } from './protocol.ts';

// resources/*: reads stored payloads and tasks, and reports changes of tasks.

const requireText = (params: RpcParams, key: string, method: string): string => {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new RpcError(RPC.invalidParams, `${method} needs "${key}".`);
};

const unknownResource = (uri: string, choices: FailureDetails = {}): RpcError => {
  const { message, ...data } = describeUnknown(uri, { uri, ...choices }).toJSON().error;
  return new RpcError(RPC.invalidParams, message, data);
};

const MAX_AVAILABLE = 10;

/** The uris that can be read. */
const listChoices = async (
  { resources }: Pick<ClientEngine, 'resources'>,
  session: string | undefined,
): Promise<FailureDetails> => {
  const listed = await resources.list(session);
  const templates = await resources.listTemplates();
  return {
    available: listed.slice(0, MAX_AVAILABLE).map(({ uri }) => uri),
    templates: templates.map(({ uriTemplate }) => uriTemplate),
  };
};

const describeUnknown = (uri: string, facts: FailureDetails): Failure => {
  const shown = quoteText(uri, 200);
  const kind = parseResourceUri(uri)?.kind;
  if (kind === 'output')
    return fail('output_handle_not_found', `No stored payload has the uri ${shown}.`, {
      ...facts,
      hint: 'Use one of the available uris. Payloads expire, and some belong to another session.',
    });
  if (kind === 'task') return fail('task_not_found', `No task has the uri ${shown}.`, facts);
  return fail('invalid_argument', `The uri ${shown} names no resource of this server.`, {
    ...facts,
    hint: 'Use one of the available uris, or fill in one of the templates.',
  });
};

const readResource = async (
  { resources }: ClientEngine,
  params: RpcParams,
  { client, signal }: Exchange,
): Promise<object> => {
  const uri = requireText(params, 'uri', 'resources/read');
  const { session, folder } = client ?? {};
  const content = await resources.read(uri, { session, folder, signal }).catch(toRpcError);
  if (!content) throw unknownResource(uri, await listChoices({ resources }, session));
  return { contents: [{ uri, ...content }] };
};

/** The codes of failures that the client can correct. */
const INVALID: readonly string[] = ['invalid_argument', 'recipe_not_found', 'recipe_invalid'];

/** Turns a failure into a protocol error; other errors are passed on. */
const toRpcError = (error: unknown): never => {
  if (!(error instanceof Failure)) throw error;
  const { message, ...data } = error.toJSON().error;
  const code = INVALID.includes(error.code) ? RPC.invalidParams : RPC.refused;
  throw new RpcError(code, message, data);
};

/** How the changes of resources and of the list of prompts are watched. */
export interface Watching {
  resource(uri: string, onChange: () => void, session?: string): Promise<Disposable | undefined>;
  prompts(folder: string, onChange: () => void): Promise<Disposable>;
}

const subscribe = async (
  watching: Watching,
  params: RpcParams,
  { connection, client }: Exchange,
): Promise<object> => {
  const uri = requireText(params, 'uri', 'resources/subscribe');
  if (!connection)
    throw new RpcError(RPC.refused, 'Without a session there is no stream for notifications.');
  const onChange = (): unknown => connection.notify('notifications/resources/updated', { uri });
  const exists = await connection.watch(uri, () =>
    watching.resource(uri, onChange, client?.session),
  );
  if (!exists) throw unknownResource(uri);
  return {};
};

const unsubscribe = async (params: RpcParams, { connection }: Exchange): Promise<object> => {
  connection?.unwatch(requireText(params, 'uri', 'resources/unsubscribe'));
  return {};
};

/** Reports the start and each change as progress, until the client ends the request. */
const reportChanges = async (
  watching: Watching,
  params: RpcParams,
  { notify, signal, client }: Exchange,
): Promise<object> => {
  const uri = requireText(params, 'uri', WATCH_METHOD);
  const progressToken = getField(params['_meta'], 'progressToken');
  let progress = 0;
  const report = (): unknown =>
    notify('notifications/progress', { progressToken, progress: progress++ });
  using watch = await watching.resource(uri, report, client?.session);
  if (!watch) throw unknownResource(uri);
  report();
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  return {};
};

// prompts/* and completion/complete: recipes as prompts, and the values of arguments.

/** The folder of the client, whose recipes it can use. */
const findFolder = ({ client }: Exchange): string => client?.folder ?? process.cwd();

const listPrompts = async (
  { prompts }: Pick<ClientEngine, 'prompts'>,
  exchange: Exchange,
): Promise<object> => ({ prompts: await prompts.list(findFolder(exchange)).catch(toRpcError) });

const PROMPTS_KEY = 'prompts';

/** A client that has listed the prompts is notified when the list changes. */
const watchPrompts = async (watching: Watching, exchange: Exchange): Promise<void> => {
  const { connection } = exchange;
  const onChange = (): unknown => connection?.notify('notifications/prompts/list_changed', {});
  await connection?.watch(PROMPTS_KEY, () => watching.prompts(findFolder(exchange), onChange));
};

const getPrompt = async (
  { prompts }: ClientEngine,
  params: RpcParams,
  exchange: Exchange,
): Promise<object> => {
  const name = requireText(params, 'name', 'prompts/get');
  const given = params['arguments'] ?? {};
  if (!isTexts(given))
    throw new RpcError(RPC.invalidParams, 'The arguments of a prompt must be texts.');
  return prompts.render(name, given, findFolder(exchange)).catch(toRpcError);
};

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((one) => typeof one === 'string');

/** Number of values in one answer, by the protocol. */
const MAX_VALUES = 100;

const complete = async (
  engine: ClientEngine,
  params: RpcParams,
  exchange: Exchange,
): Promise<object> => {
  const [variable, start] = ['name', 'value'].map((key) => getField(params['argument'], key));
  if (typeof variable !== 'string' || typeof start !== 'string')
    throw new RpcError(RPC.invalidParams, 'The request needs {"argument": {"name", "value"}}.');
  const found = findCompletion(engine, params['ref'], exchange);
  const values = await found(variable, start).catch(toRpcError);
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
};

type Completion = (variable: string, start: string) => Promise<readonly string[]>;

const findCompletion = (
  { prompts, resources }: ClientEngine,
  ref: unknown,
  exchange: Exchange,
): Completion => {
  const [name, uri] = [getField(ref, 'name'), getField(ref, 'uri')];
  const type = getField(ref, 'type');
  if (type === 'ref/prompt' && typeof name === 'string')
    return (...given) => prompts.complete(name, ...given, findFolder(exchange));
  if (type === 'ref/resource' && typeof uri === 'string')
    return (...given) => resources.complete(uri, ...given, exchange.client?.session);
  throw new RpcError(RPC.invalidParams, 'The request needs the "ref" of a prompt or a resource.');
};

export const buildStoredMethods = (engine: ClientEngine): StoredMethods => {
  const { resources, prompts } = engine;
  const watching: Watching = {
    resource: (...given) => resources.watch(...given),
    prompts: (...given) => prompts.watch(...given),
  };
  return {
    'resources/list': async (_, { client }) => ({
      resources: await resources.list(client?.session),
    }),
    'resources/templates/list': async () => ({
      resourceTemplates: await resources.listTemplates(),
    }),
    'resources/read': (params, exchange) => readResource(engine, params, exchange),
    ...buildWatchMethods(watching, (_, exchange) => listPrompts(engine, exchange)),
    [WATCH_METHOD]: (params, exchange) => reportChanges(watching, params, exchange),
    'prompts/get': (params, exchange) => getPrompt(engine, params, exchange),
    'completion/complete': (params, exchange) => complete(engine, params, exchange),
  };
};

/** The methods after which the client gets notifications. */
export const buildWatchMethods = (
  watching: Watching,
  list: StoredMethods['prompts/list'],
): Pick<StoredMethods, 'resources/subscribe' | 'resources/unsubscribe' | 'prompts/list'> => ({
  'resources/subscribe': (params, exchange) => subscribe(watching, params, exchange),
  'resources/unsubscribe': unsubscribe,
  'prompts/list': async (params, exchange) => {
    await watchPrompts(watching, exchange);
    return list(params, exchange);
  },
});
