// Adds at most one hint after a failure or a repeated call.
import { createHash } from 'node:crypto';
import { defined } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import { hintFor } from '../policy/hints/index.ts';
import { type Call, resolveEffect, type Step } from './call.ts';

export const hints: Step = async (call, next) => {
  // The calls of a background task get no hints: no client reads them.
  if (!call.rooms.config.hints || call.request.task) return next();
  try {
    await next();
    hint(call);
  } catch (error) {
    if (error instanceof Failure) hint(call, error);
    throw error;
  }
};

const hint = (call: Call, failure?: Failure): void => {
  const found = hintFor(
    defined({
      failure: failure ? failure : undefined,
      times: timesInARow(call, failure),
      acts: resolveEffect(call) === 'act',
      login: call.tab?.facts?.login ?? false,
      budget: call.budget,
    }),
  );
  if (!found) return;
  call.hint = found;
  call.notes.push(`[hint: ${found.line}]`);
};

/** The number of consecutive equal calls with equal replies in this session. */
const timesInARow = (call: Call, failure: Failure | undefined): number => {
  const { session } = call;
  if (!session) return 1;
  const asked = digest(JSON.stringify([call.request.name, call.tab?.id, call.input]));
  const answered = digest(
    failure
      ? `${failure.code} ${failure.message}`
      : (call.reply?.text ?? call.reply?.images[0]?.data ?? ''),
  );
  const before = session.lastCall;
  const times = before?.asked === asked && before.answered === answered ? before.times + 1 : 1;
  session.lastCall = { asked, answered, times };
  return times;
};

const digest = (text: string): string => createHash('sha1').update(text).digest('base64');
