// The steps of every call in order, each with the reason for its position.
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
  answer, // first, so that every outcome becomes a well-formed reply
  journal, // before any step that can reject, so that rejections are recorded
  limits, // later steps see no arguments that are too deep or too many
  validate, // parses the tool and the arguments
  // needs the task and the tool; may reject the call, and records how it ended
  envelope,
  // later steps see no invalid arguments; a task counts such calls as failed
  requireUnderstood,
  hints, // around all steps that can fail, inside the envelope, which counts hints
  // around all later steps, so that their end is the end of the task
  job,
  deadline, // time runs from here, including the wait for Chrome and for the tab
  present, // around all steps that use a page: their data leaves through here
  tab, // finds the session and the tab, and waits for earlier calls in the tab
  guard, // checks URLs and files once the tab is known
  // after all steps that record or check arguments: rejects secrets in other arguments
  secrets,
  // directly around the tool, so that only the tool is repeated or reported as unknown
  reconnect,
  run,
];

/** Runs one call through all steps. Never throws: a failure is a reply too. */
export const carry = async (rooms: Services, given: CallRequest): Promise<Reply> => {
  const exceededLimit = findExceededLimit(given.arguments);
  // No step may recurse into arguments of any depth: the journal would overflow the stack.
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
