// Writes every call to the journal, also rejected ones; a write error never fails a call.
import { defined } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import { monotonicMs } from '../core/time.ts';
import type { Call, Step } from './call.ts';
import { redactorFor } from './redactor-for.ts';

const SUMMARY_CHARS = 160;

export const journal: Step = async (call, next) => {
  try {
    await next();
    record(call, undefined);
  } catch (error) {
    record(call, error instanceof Failure ? error : undefined, error);
    throw error;
  }
};

const record = (call: Call, failure: Failure | undefined, error?: unknown): void => {
  const { rooms, request, session, tab } = call;
  const redactor = redactorFor(call);
  const ok = error === undefined;
  rooms.journal.append(
    defined({
      ts: Date.now(),
      tool: redactor.text(request.name).slice(0, 100),
      session: session?.name ?? call.common.session ?? request.session ?? 'default',
      tabId: tab ? tab.id : undefined,
      args: redactor.data(request.arguments ?? {}),
      durationMs: Math.round(monotonicMs() - call.startedAt),
      ok,
      code: ok ? undefined : (failure?.code ?? 'internal'),
      summary: summarise(call, error),
    }),
  );
};

const summarise = (call: Call, error: unknown): string => {
  const text =
    error instanceof Error
      ? error.message
      : (call.reply?.text ?? `${call.reply?.images.length ?? 0} image(s)`);
  // redacted before the cut: a part of a secret is not recognised
  const safe = redactorFor(call).text(text.slice(0, 20 * SUMMARY_CHARS));
  return safe.slice(0, SUMMARY_CHARS).replace(/\s+/g, ' ');
};
