// prompts/* and completion/complete: recipes as prompts, and the values of arguments.
import { getField, isRecord } from '../../core/json.ts';
import type { Exchange, Served } from './methods.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { requireText, toRpcError, type Watching } from './resources.ts';

/** The folder of the client, whose recipes it can use. */
const findFolder = ({ client }: Exchange): string => client?.folder ?? process.cwd();

export const listPrompts = async (
  { prompts }: Pick<Served, 'prompts'>,
  exchange: Exchange,
): Promise<object> => ({ prompts: await prompts.list(findFolder(exchange)).catch(toRpcError) });

const PROMPTS_KEY = 'prompts';

/** A client that has listed the prompts is notified when the list changes. */
export const watchPrompts = async (watching: Watching, exchange: Exchange): Promise<void> => {
  const { connection } = exchange;
  const onChange = (): unknown => connection?.notify('notifications/prompts/list_changed', {});
  await connection?.watch(PROMPTS_KEY, () => watching.prompts(findFolder(exchange), onChange));
};

export const getPrompt = async (
  { prompts }: Served,
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

export const complete = async (
  engine: Served,
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
  { prompts, resources }: Served,
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
