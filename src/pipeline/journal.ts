// Writes every call to the journal, also rejected ones; a write error never fails a call.
import { defined } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import type { Redactor } from '../core/redactor.ts';
import { monotonicMs } from '../core/time.ts';
import { estimateReplyTokens } from '../render/reply-tokens.ts';
import type { Call, Step } from './call.ts';
import { redactorFor } from './redactor-for.ts';

const SUMMARY_CHARS = 160;

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
  const { rooms, request } = call;
  const { session, tab, common } = call.course;
  const redactor = redactorFor(call);
  const args = await redactor
    .largeData(request.arguments ?? {})
    .catch(() => ({ omitted: 'could not be redacted' }));
  rooms.journal.append(
    defined({
      ts: Date.now(),
      tool: redactor.text(request.name).slice(0, 100),
      session: session?.name ?? common?.session ?? request.session ?? 'default',
      tabId: tab?.id,
      args,
      durationMs: Math.round(monotonicMs() - call.startedAt),
      tokens,
      ok: code === undefined,
      code,
      summary: summarise(summary, redactor),
    }),
  );
};

const summarise = (text: string, redactor: Redactor): string => {
  // redacted before the cut: a part of a secret is not recognised
  const safe = redactor.text(text.slice(0, 20 * SUMMARY_CHARS));
  return safe.slice(0, SUMMARY_CHARS).replace(/\s+/g, ' ');
};
