// A call that a script or a recipe makes: it runs through all steps, like a call of a client.
import type { Session } from '../../browser/tabs/session.ts';
import type { Elicit } from '../consent/waiting.ts';
import { defined } from '../../core/defined.ts';
import type { Failure, FailureDetails } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { settlesWithin } from '../../core/time.ts';

export interface InnerCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly session: string;
  readonly folder?: string | undefined;
  readonly signal: AbortSignal;
  /** Puts a question to the user of the client; undefined if the client cannot. */
  readonly elicit?: Elicit | undefined;
}

/** `opened`: the call only opened a page. */
export type CallEffect = 'opened' | 'acted';

export interface InnerReply {
  readonly text?: string;
  /** The data of a JSON reply. */
  readonly json?: unknown;
  /** The JSON form of a reply that is a text. */
  readonly data?: unknown;
  readonly notes: readonly string[];
  readonly failure?: Failure;
  /** Undefined for a read, and for a call that failed before it did anything. */
  readonly effect?: CallEffect;
}

export type RunInnerCall = (call: InnerCall) => Promise<InnerReply>;

/** A failure lists at most this many calls or steps. */
const MAX_DONE = 20;

/** The value of a call for a program: its data; a reply that is a text also has it as `text`. */
export const buildCallValue = ({ json, data, text }: InnerReply): unknown => {
  if (json !== undefined) return json;
  if (isRecord(data)) return 'text' in data ? data : { ...data, text };
  return { text, result: data };
};

/** How long an aborted call may take to report whether it acted. */
const SETTLE_MS = 500;

/** Observes the calls of a script or a recipe: a failure lists what they have done. */
export class InnerEffects {
  readonly #running = new Set<Promise<InnerReply>>();
  #hasActed = false;

  async observe(call: Promise<InnerReply>): Promise<InnerReply> {
    this.#running.add(call);
    try {
      const reply = await call;
      this.#hasActed ||= reply.effect === 'acted';
      return reply;
    } finally {
      this.#running.delete(call);
    }
  }

  /** The data of a failure: `done` gets its last lines when the running calls have ended. */
  async explainFailure(done: readonly string[], session: Session): Promise<FailureDetails> {
    await settlesWithin(Promise.allSettled(this.#running), SETTLE_MS);
    if (done.length === 0 && !this.#hasActed) return {};
    const omitted = done.length - MAX_DONE;
    const { current: tab } = session;
    return defined({
      done: omitted > 0 ? [`… ${omitted} earlier`, ...done.slice(-MAX_DONE)] : done,
      page: tab && { tabId: tab.id, url: tab.url, title: tab.title },
      retryable: this.#hasActed ? false : undefined,
    });
  }
}
