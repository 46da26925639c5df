// tools/list of any tools, and tools/call, which runs a request through the pipeline.
import { defined } from '../../core/defined.ts';
import { getField } from '../../core/json.ts';
import { after, monotonicMs } from '../../core/time.ts';
import type { CallRequest } from '../../pipeline/call.ts';
import type { Progress } from '../../toolkit/context.ts';
import type { Tool } from '../../toolkit/define-tool.ts';
import { returnsOnlyJson, summariseTool } from '../../toolkit/tool-description.ts';
import { describeClient } from './client-info.ts';
import { createElicit } from './elicitation.ts';
import type { Exchange, ClientEngine } from './methods.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { createLineTest, toResult } from './result.ts';
import { followsTasks, startTask } from './task-extension.ts';
import {
  type ListedTool,
  type ListingOptions,
  listSummaries,
  readKnownTools,
} from './tool-list.ts';

/** Builds the list of tools; the summaries of most tools are known from the build. */
export const listTools = (tools: readonly Tool[], options: ListingOptions): ListedTool[] => {
  const known = new Map(readKnownTools().map((summary) => [summary.name, summary]));
  return listSummaries(
    tools.map((tool) => known.get(tool.name) ?? summariseTool(tool)),
    options,
  );
};

// Sends progress: never backwards, at most ten times a second, the last one before the reply.

const INTERVAL_MS = 100;

interface ProgressReport {
  readonly report: (progress: Progress) => void;
  /** Sends the pending message, then no more. */
  readonly end: () => Promise<void>;
}

export const createProgressReport = (send: (progress: Progress) => unknown): ProgressReport => {
  let held: Progress | undefined;
  let timer: Disposable | undefined;
  let sentAt = -Infinity;
  let reached = -Infinity;
  let ended = false;
  let lastSend: unknown;

  const flush = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (!held) return;
    sentAt = monotonicMs();
    lastSend = send(held);
    held = undefined;
  };

  return {
    report: (progress) => {
      if (ended || !(progress.done > reached)) return;
      reached = progress.done;
      held = progress;
      const wait = sentAt + INTERVAL_MS - monotonicMs();
      if (wait <= 0) flush();
      else timer ??= after(wait, flush);
    },
    end: async () => {
      flush();
      ended = true;
      await lastSend;
    },
  };
};

export const callTool = async (
  engine: ClientEngine,
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
    host: describeClient(params, exchange),
    elicit: engine.config.elicitation && exchange.ask ? createElicit(exchange.ask) : undefined,
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
