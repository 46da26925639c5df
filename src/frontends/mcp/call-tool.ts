// tools/call: a request of the protocol becomes a call of the pipeline, and its reply a result.
import type { CallRequest } from '../../pipeline/call.ts';
import { alwaysJson } from './listing.ts';
import type { Exchange, Served } from './methods.ts';
import { createProgressReport, type ProgressReport } from './progress.ts';
import { isObject, RPC, RpcError, type Params } from './protocol.ts';
import { toResult } from './result.ts';
import { followsTasks, startTask } from './tasks.ts';

export const callTool = async (engine: Served, params: Params, exchange: Exchange): Promise<object> => {
  const name = requireName(params);
  const tool = engine.tools.find((candidate) => candidate.name === name);
  if (tool?.traits.duration === 'job' && followsTasks(params, exchange))
    return startTask(engine, { name, args: params['arguments'], client: exchange.client });
  const progress = progressTo(params, exchange);
  const reply = await engine.call({
    name,
    arguments: params['arguments'],
    signal: exchange.signal,
    ...callerOf(exchange),
    ...(progress ? { onProgress: progress.report } : {}),
  });
  await progress?.end();
  const promised = tool !== undefined && alwaysJson(tool);
  return toResult(reply, { asked: exchange.client?.wishes?.structuredContent ?? engine.config.structuredContent, promised });
};

const callerOf = ({ client: { session, folder, wishes } = {} }: Exchange): Pick<CallRequest, 'session' | 'folder' | 'wholeReply'> => ({
  ...(session === undefined ? {} : { session }),
  folder,
  wholeReply: wishes?.wholeReplies === true,
});

const requireName = (params: Params): string => {
  const { name } = params;
  if (typeof name === 'string') return name;
  throw new RpcError(RPC.invalidParams, 'tools/call needs the name of a tool: {"name": "...", "arguments": {...}}.');
};

/** Only a client that sent a token wants to be told. */
const progressTo = (params: Params, { notify }: Exchange): ProgressReport | undefined => {
  const meta = params['_meta'];
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
  return createProgressReport(({ done, total, message }) =>
    notify('notifications/progress', {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    }),
  );
};
