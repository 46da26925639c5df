// What happens to every call, in reading order: each step stands where it does for the reason
// beside it.
import { monotonicMs } from '../core/time.ts';
import { findExceededLimit } from '../policy/argument-limits.ts';
import { noFindings } from '../policy/sanitise.ts';
import type { Services } from '../toolkit/context.ts';
import { answer } from './answer.ts';
import type { Call, CallRequest, Reply, Step } from './call.ts';
import { deadline } from './deadline.ts';
import { envelope } from './envelope.ts';
import { guard } from './guard.ts';
import { hints } from './hints.ts';
import { job } from './job.ts';
import { journal } from './journal.ts';
import { limits } from './limits.ts';
import { present } from './present/index.ts';
import { reconnect } from './reconnect.ts';
import { run } from './run.ts';
import { secrets } from './secrets.ts';
import { tab } from './tab.ts';
import { requireUnderstood, validate } from './validate.ts';

const STEPS: readonly Step[] = [
  answer, // first, so that whatever happens below becomes one well-formed reply
  journal, // before anything can refuse, so that refusals are recorded too
  limits, // nothing below sees arguments that are too deep or too many
  validate, // finds out what is meant
  // once it is known which task and tool are meant: it may refuse the call, and records how it
  // ended
  envelope,
  // nothing below sees arguments that were not understood; a task counts such calls among those
  // that failed
  requireUnderstood,
  hints, // around all that can fail, and inside the envelope, which counts them
  // what was understood may become a task; around all that follows, so that its end is the task's
  // end
  job,
  deadline, // from here on time counts, the wait for Chrome and for the tab included
  present, // around everything that touches a page: its data leaves through here
  tab, // finds the session and the tab, and waits for its turn
  guard, // judges addresses and files once it is known where the call would act
  // after everything that writes down or judges arguments: rejects those that take no secret
  secrets,
  // right around the tool, so that only the tool's own work is repeated or called unknown
  reconnect,
  run,
];

/** Carries one call through all steps. Never throws: a failure is a reply too. */
export const carry = async (rooms: Services, given: CallRequest): Promise<Reply> => {
  const exceededLimit = findExceededLimit(given.arguments);
  // No step may recurse into arguments of any depth: the journal would overflow before it has a
  // line.
  const request =
    exceededLimit === undefined ? given : { ...given, arguments: { omitted: exceededLimit } };
  const startedAt = monotonicMs();
  const call: Call = {
    rooms,
    request,
    exceededLimit,
    startedAt,
    notes: [],
    findings: noFindings(),
    common: {},
  };
  const from = (index: number): Promise<void> => {
    const step = STEPS[index];
    return step ? step(call, () => from(index + 1)) : Promise.resolve();
  };
  await from(0);
  return call.reply ?? { images: [], notes: call.notes };
};
