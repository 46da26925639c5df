// Calls of the 2026 protocol that wait for the client's user: the client gets the question as a
// result, and sends the call again with the answer.
import { fail } from '../../../core/failure.ts';
import { createSecretToken } from '../../../core/ids.ts';
import { after } from '../../../core/time.ts';
import type { AskClient } from '../elicitation.ts';
import { RPC, RpcError, type RpcParams } from '../protocol.ts';

/** How long a call waits for the client to send it again. */
const PARKED_MS = 10 * 60_000;
const MAX_PARKED = 100;
/** The key of the question in `inputRequests`; a call has one open question at a time. */
const QUESTION = 'answer';

/** The part of a request that continues a parked call. */
interface CallRound {
  readonly state: string | undefined;
  readonly responses: Readonly<Record<string, unknown>> | undefined;
}

interface OpenQuestion {
  readonly method: string;
  readonly params: RpcParams;
  readonly settle: (response: unknown) => void;
}

type StartCall = (ask: AskClient, signal: AbortSignal) => Promise<object>;

class ParkedCall {
  readonly name: unknown;
  readonly result: Promise<object>;
  readonly #abort = new AbortController();
  #question: OpenQuestion | undefined;
  #asked: Promise<void> | undefined;
  #reportQuestion = (): void => {};
  expiry?: Disposable;

  constructor(name: unknown, start: StartCall) {
    this.name = name;
    this.result = start(this.#ask, this.#abort.signal);
    this.result.catch(() => {}); // reported to the request that waits for it
  }

  get question(): OpenQuestion | undefined {
    return this.#question;
  }

  /** Resolves when the call has a question. */
  untilAsked(): Promise<void> {
    if (this.#question) return Promise.resolve();
    this.#asked ??= new Promise((resolve) => (this.#reportQuestion = resolve));
    return this.#asked;
  }

  cancel(reason: unknown): void {
    this.#abort.abort(reason);
  }

  readonly #ask: AskClient = (method, params, signal) =>
    new Promise((resolve, reject) => {
      const settle = (response: unknown): void => {
        this.#question = undefined;
        if (response === undefined) reject(new Error('the client sent no answer'));
        else resolve(response);
      };
      this.#question = { method, params, settle };
      signal.addEventListener('abort', () => settle(undefined), { once: true });
      this.#reportQuestion();
      this.#asked = undefined;
    });
}

export class ParkedCalls {
  readonly #parked = new Map<string, ParkedCall>();

  /** Starts or continues a call; resolves with its result, or with the question to the user. */
  async run(
    name: unknown,
    { state, responses }: CallRound,
    signal: AbortSignal,
    start: StartCall,
  ): Promise<object> {
    const call = state === undefined ? new ParkedCall(name, start) : this.#continue(name, state);
    if (state !== undefined) call.question?.settle(responses?.[QUESTION]);
    const cancel = (): void => call.cancel(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return (await Promise.race([call.result, call.untilAsked()])) ?? this.#park(call);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #continue(name: unknown, state: string): ParkedCall {
    const call = this.#parked.get(state);
    if (!call || call.name !== name)
      throw new RpcError(RPC.invalidParams, 'The requestState is unknown or has expired.');
    this.#parked.delete(state);
    call.expiry?.[Symbol.dispose]();
    return call;
  }

  /** The result that asks the client for the answer. */
  #park(call: ParkedCall): object {
    const { question } = call;
    const state = createSecretToken();
    this.#parked.set(state, call);
    call.expiry = after(PARKED_MS, () => this.#drop(state));
    for (const oldest of this.#parked.keys())
      if (this.#parked.size > MAX_PARKED) this.#drop(oldest);
    const { method, params } = question ?? {};
    return {
      resultType: 'input_required',
      requestState: state,
      inputRequests: question ? { [QUESTION]: { method, params } } : {},
    };
  }

  #drop(state: string): void {
    this.#parked.get(state)?.cancel(fail('cancelled', 'The client did not answer.'));
    this.#parked.delete(state);
  }
}
