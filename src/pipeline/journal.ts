// Writes every call to the journal, also rejected ones; a write error never fails a call.
import { defined, valueIf } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import { monotonicMs } from '../core/time.ts';
import { estimateReplyTokens } from '../render/tokens.ts';
import { listOrigins } from '../browser/tabs/shown-page.ts';
import type { Call, Step } from './call.ts';

export const journal: Step<Call, Call> = async (call, next) => {
  try {
    const reply = await next(call);
    await record(call, {
      summary: reply.text ?? `${reply.images.length} image(s)`,
      tokens: estimateReplyTokens(reply),
    });
    return reply;
  } catch (error) {
    await record(call, {
      code: error instanceof Failure ? error.code : 'internal',
      summary: error instanceof Error ? error.message : '',
      tokens: estimateReplyTokens({ text: JSON.stringify(error), notes: call.notes }),
    });
    throw error;
  }
};

interface CallEnd {
  /** Undefined if the call succeeded. */
  readonly code?: string;
  readonly summary: string;
  readonly tokens: number;
}

const record = async (call: Call, { code, summary, tokens }: CallEnd): Promise<void> => {
  const { services, request } = call;
  const { session, tab, common, targets, result, effects } = call.course;
  const tool = services.tools.find(({ name }) => name === request.name);
  call.course.entry = await services.journal.appendCall(
    defined({
      ts: Date.now(),
      tool: request.name,
      session: session?.name ?? common?.session ?? request.session ?? 'default',
      tabId: tab?.id,
      task: valueIf(!tool?.traits.ledger, common?.taskId),
      args: request.arguments ?? {},
      durationMs: Math.round(monotonicMs() - call.startedAt),
      tokens,
      ok: code === undefined,
      code,
      negative: valueIf(code === undefined && result?.isNegative, true as const),
      summary,
      targets,
      effects,
    }),
    tab ? listOrigins(tab) : [],
  );
};
