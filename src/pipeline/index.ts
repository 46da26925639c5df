// The steps of every call in order, each with the reason for its position.
import { monotonicMs } from '../core/time.ts';
import { findExceededLimit } from '../policy/argument-limits.ts';
import { noFindings } from '../policy/sanitise-text.ts';
import type { Services } from '../toolkit/context.ts';
import { answer } from './answer.ts';
import type { Call, CallRequest, Reply, Step } from './call.ts';
import { consent } from './consent.ts';
import { deadline } from './deadline.ts';
import { envelope } from './envelope.ts';
import { guard } from './guard.ts';
import { hints } from './hints.ts';
import { identify } from './identify.ts';
import { job } from './job.ts';
import { journal } from './journal.ts';
import { limits } from './limits.ts';
import { present } from './present/index.ts';
import { reconnect } from './reconnect.ts';
import { run } from './run.ts';
import { secrets } from './secrets.ts';
import { tab } from './tab.ts';
import { validate } from './validate.ts';

/** Steps in order: each adds facts to the call, and wraps the steps that are added after it. */
class Steps<In, Out, Inner, Outer> {
  constructor(readonly run: Step<In, Out, Inner, Outer>) {}

  add<Next, Innermost>(step: Step<Out, Next, Innermost, Inner>): Steps<In, Next, Innermost, Outer> {
    return new Steps((call, next) => this.run(call, (later) => step(later, next)));
  }
}

const STEPS = new Steps(answer) // first, so that every outcome becomes a well-formed reply
  .add(journal) // before any step that can reject, so that rejections are recorded
  .add(limits) // later steps see no arguments that are too deep or too many
  .add(identify) // finds the tool, and the session, tab and task that the call names
  // may reject the call, and records how it ended; before validate, so that a task also counts
  // calls with invalid arguments
  .add(envelope)
  .add(validate) // later steps see no invalid arguments
  .add(hints) // around all steps that can fail, inside the envelope, which counts hints
  .add(job) // around all later steps, so that their end is the end of the task
  .add(deadline) // time runs from here, including the wait for Chrome and for the tab
  .add(present) // around all steps that use a page: their data leaves through here
  .add(tab) // finds the session and the tab, and waits for earlier calls in the tab
  .add(guard) // checks URLs and files once the tab is known
  .add(consent) // once the page and the checked arguments are known, before anything is sent
  // after all steps that record or check arguments: rejects secrets in other arguments
  .add(secrets)
  // directly around the tool, so that only the tool is repeated or reported as unknown
  .add(reconnect);

/** Runs one call through all steps. Never throws: a failure is a reply too. */
export const runCall = (services: Services, given: CallRequest): Promise<Reply> => {
  const exceededLimit = findExceededLimit(given.arguments);
  // No step may recurse into arguments of any depth: the journal would overflow the stack.
  const request =
    exceededLimit === undefined ? given : { ...given, arguments: { omitted: exceededLimit } };
  const call: Call = {
    services,
    request,
    exceededLimit,
    startedAt: monotonicMs(),
    notes: [],
    findings: noFindings(),
    course: {},
  };
  return STEPS.run(call, run);
};
