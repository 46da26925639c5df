// tools/call: turns the request into a call of the pipeline, and the reply into a result.
import { defined } from '../../core/defined.ts';
import { getField } from '../../core/json.ts';
import type { CallRequest } from '../../pipeline/call.ts';
import { returnsOnlyJson } from './tool-listing.ts';
import type { Exchange, Served } from './methods.ts';
import { createProgressReport, type ProgressReport } from './progress.ts';
import { createLineTest } from './line-limit.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { toResult } from './result.ts';
import { followsTasks, startTask } from './task-extension.ts';

export const callTool = async (
  engine: Served,
  params: RpcParams,
  exchange: Exchange,
): Promise<object> => {
  const name = requireName(params);
  const tool = engine.tools.find((candidate) => candidate.name === name);
  if (tool?.traits.duration === 'job' && followsTasks(params, exchange))
    return startTask(engine, { name, args: params['arguments'], client: exchange.client });
  const progress = progressTo(params, exchange);
  const asked = exchange.client?.wishes?.structuredContent ?? engine.config.structuredContent;
  const reply = await engine.call({
    name,
    arguments: params['arguments'],
    signal: exchange.signal,
    fits: createLineTest(asked),
    ...callerOf(exchange),
    ...defined({ onProgress: progress?.report }),
  });
  await progress?.end();
  const promised = tool !== undefined && returnsOnlyJson(tool);
  return toResult(reply, { asked, promised });
};

const callerOf = ({
  client: { session, folder, wishes } = {},
}: Exchange): Pick<CallRequest, 'session' | 'folder' | 'wholeReply' | 'shell'> => ({
  ...defined({ session }),
  folder,
  wholeReply: wishes?.wholeReplies === true,
  shell: wishes?.shell,
});

const requireName = (params: RpcParams): string => {
  const { name } = params;
  if (typeof name === 'string') return name;
  throw new RpcError(
    RPC.invalidParams,
    'tools/call needs the name of a tool: {"name": "...", "arguments": {...}}.',
  );
};

/** Progress is sent only to a client that sent a progress token. */
const progressTo = (params: RpcParams, { notify }: Exchange): ProgressReport | undefined => {
  const meta = params['_meta'];
  const progressToken = getField(meta, 'progressToken');
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return createProgressReport(({ done, total, message }) =>
    notify('notifications/progress', {
      progressToken,
      progress: done,
      ...defined({ total, message }),
    }),
  );
};
