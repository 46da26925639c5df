// The io.modelcontextprotocol/tasks extension: long-running tools become tasks.
import { Failure } from '../../core/failure.ts';
import { getField, isRecord } from '../../core/json.ts';
import type { TaskMeta } from '../../store/tasks/task-ledger.ts';
import { describeTask } from '../../features/tasks/task-view.ts';
import type { ClientFacts } from './client-facts.ts';
import { TASK_EXTENSION_NAME, type TASK_METHODS } from './method-names.ts';
import type { Exchange, ClientEngine } from './methods.ts';
import { createLineTest, type ToolResult, toResult } from './result.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';

export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long tasks are kept, and the suggested polling interval. */
const TTL_MS = 30 * DAY_MS;
const POLL_MS = 1000;

/** A task in the form of the protocol. */
interface ProtocolTask {
  readonly taskId: string;
  readonly status: 'working' | 'completed' | 'cancelled';
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

/** True if the request declares the tasks capability. */
export const followsTasks = (params: RpcParams, { envelope }: Exchange): boolean => {
  const meta = envelope ?? params['_meta'];
  const capabilities = getField(meta, CAPABILITIES_KEY);
  const extensions = getField(capabilities, 'extensions');
  return isRecord(extensions) && isRecord(extensions[TASK_EXTENSION_NAME]);
};

/** tools/call of a long-running tool: returns the task; an invalid call fails as usual. */
export const startTask = async (
  { tasks }: ClientEngine,
  {
    name,
    args,
    client: { session = 'default', folder } = {},
  }: { readonly name: string; readonly args: unknown; readonly client?: ClientFacts | undefined },
): Promise<ToolResult | object> => {
  try {
    const meta = await tasks.start({ kind: name, args: args ?? {}, session, folder });
    return { resultType: 'task', ...toTask(meta) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return failed(error);
  }
};

export const taskMethods = (
  engine: ClientEngine,
): Record<
  (typeof TASK_METHODS)[number],
  (params: RpcParams, exchange: Exchange) => Promise<object>
> => ({
  'tasks/get': (params, exchange) => withTask(params, exchange, (id) => getTask(engine, id)),
  'tasks/cancel': (params, exchange) =>
    withTask(params, exchange, async (id) => {
      await engine.tasks.cancel(id, exchange.signal);
      return {};
    }),
  // Our tasks never request input, so the update is ignored.
  'tasks/update': (params, exchange) =>
    withTask(params, exchange, async (id) => {
      await engine.tasks.get(id);
      return {};
    }),
});

const withTask = async (
  params: RpcParams,
  exchange: Exchange,
  answer: (id: string) => Promise<object>,
): Promise<object> => {
  if (!followsTasks(params, exchange))
    throw new RpcError(RPC.missingCapability, 'Missing required client capability.', {
      requiredCapabilities: { extensions: { [TASK_EXTENSION_NAME]: {} } },
    });
  const { taskId } = params;
  if (typeof taskId !== 'string')
    throw new RpcError(RPC.invalidParams, 'The request needs the taskId of a task.');
  try {
    return await answer(taskId);
  } catch (error) {
    if (error instanceof Failure)
      throw new RpcError(RPC.invalidParams, error.message, error.toJSON().error);
    throw error;
  }
};

const getTask = async (engine: ClientEngine, id: string): Promise<object> => {
  const { meta, events } = await engine.tasks.get(id);
  const task = toTask(meta, events.at(-1)?.ts);
  return task.status === 'completed' ? { ...task, result: await resultOf(engine, meta) } : task;
};

/** The protocol reports failed work as a completed task whose result is an error. */
const STATUS = {
  PENDING: 'working',
  RUNNING: 'working',
  COMPLETED: 'completed',
  FAILED: 'completed',
  CANCELLED: 'cancelled',
} as const;

const toTask = (meta: TaskMeta, updatedAt: number = meta.created_at): ProtocolTask => ({
  taskId: meta.task_id,
  status: STATUS[meta.status],
  statusMessage: describeTask(meta),
  createdAt: new Date(meta.created_at).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
  ttlMs: TTL_MS,
  pollIntervalMs: POLL_MS,
});

const resultOf = async (
  engine: ClientEngine,
  { task_id: id, kind, session, error, result_path: path }: TaskMeta,
): Promise<ToolResult> => {
  if (error)
    return {
      isError: true,
      content: [text({ error }), ...(path ? [note(`[the partial result is in ${path}]`)] : [])],
    };
  const found = await engine.tasks.result(id);
  const result = found && 'result' in found ? found.result : null;
  const reply = await engine.replyWithResult({ kind, session, result }, createLineTest(false));
  return toResult(reply, { asked: false, promised: false });
};

const failed = (failure: Failure): ToolResult =>
  toResult({ failure, images: [], notes: [] }, { asked: false, promised: false });

const note = (line: string): ToolResult['content'][number] => ({ type: 'text', text: line });
const text = (data: unknown): ToolResult['content'][number] => note(JSON.stringify(data));
