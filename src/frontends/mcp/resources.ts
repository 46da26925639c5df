// resources/*: reads stored payloads and tasks, and reports changes of tasks.
import { Failure } from '../../core/failure.ts';
import { getField } from '../../core/json.ts';
import type { Exchange, Served } from './methods.ts';
import { RPC, RpcError, type RpcParams, WATCH_METHOD } from './protocol.ts';

export const requireText = (params: RpcParams, key: string, method: string): string => {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new RpcError(RPC.invalidParams, `${method} needs "${key}".`);
};

const unknownResource = (uri: string): RpcError =>
  new RpcError(RPC.invalidParams, 'The resource does not exist.', { uri });

export const readResource = async (
  { resources }: Served,
  params: RpcParams,
  { client, signal }: Exchange,
): Promise<object> => {
  const uri = requireText(params, 'uri', 'resources/read');
  const { session, folder } = client ?? {};
  const content = await resources.read(uri, { session, folder, signal }).catch(toRpcError);
  if (!content) throw unknownResource(uri);
  return { contents: [{ uri, ...content }] };
};

/** The codes of failures that the client can correct. */
const INVALID: readonly string[] = ['invalid_argument', 'recipe_not_found', 'recipe_invalid'];

/** Turns a failure into a protocol error; other errors are passed on. */
export const toRpcError = (error: unknown): never => {
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

export const subscribe = async (
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

export const unsubscribe = async (params: RpcParams, { connection }: Exchange): Promise<object> => {
  connection?.unwatch(requireText(params, 'uri', 'resources/unsubscribe'));
  return {};
};

/** Reports the start and each change as progress, until the client ends the request. */
export const reportChanges = async (
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
