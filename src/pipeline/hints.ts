// Adds at most one hint after a failure or a repeated call.
import { createHash } from 'node:crypto';
import { defined } from '../core/defined.ts';
import { Failure } from '../core/failure.ts';
import { renderHint } from '../core/hint-text.ts';
import { hintFor } from '../policy/hints.ts';
import type { Reply, Step, ValidCall } from './call.ts';

export const hints: Step<ValidCall, ValidCall> = async (call, next) => {
  // The calls of a background task and of a script get no hints: no client reads them.
  const { task, inner } = call.request;
  if (!call.services.config.hints || task || inner) return next(call);
  try {
    const reply = await next(call);
    hint(call, digestReply(reply));
    return reply;
  } catch (error) {
    if (error instanceof Failure) hint(call, digest(`${error.code} ${error.message}`), error);
    throw error;
  }
};

const hint = (call: ValidCall, answered: string, failure?: Failure): void => {
  const { course, toolCall, budget } = call;
  const found = hintFor(
    defined({
      failure,
      times: countInARow(call, answered),
      acts: toolCall.effect === 'act',
      login: course.tab?.facts?.login ?? false,
      budget,
    }),
  );
  // A user who repeats a command that works knows why.
  if (!found || (call.request.shell && !failure)) return;
  course.hint = found;
  const reader = call.request.shell ? 'shell' : 'model';
  call.notes.push(`[hint: ${renderHint(found.line, reader)}]`);
};

/** The number of consecutive equal calls with equal replies in this session. */
const countInARow = ({ request, course }: ValidCall, answered: string): number => {
  const { session, tab, toolCall } = course;
  if (!session) return 1;
  const asked = digest(JSON.stringify([request.name, tab?.id, toolCall?.input]));
  const before = session.lastCall;
  const times = before?.asked === asked && before.answered === answered ? before.times + 1 : 1;
  session.lastCall = { asked, answered, times };
  return times;
};

const digestReply = ({ text, images }: Reply): string => digest(text ?? images[0]?.data ?? '');

const digest = (text: string): string => createHash('sha1').update(text).digest('base64');
