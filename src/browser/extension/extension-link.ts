// The link to the user's Chrome through our extension, kept open between calls.
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline, sleep } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import { joinHub } from './join-hub.ts';
import { LinkHub } from './link-hub.ts';
import { createNonce, type Pairing, ProofRejected } from './link-proof.ts';

/** The extension tries to connect every 2.5 s. */
const LINK_MS = 8_000;
/** Time between two attempts to join or to listen. */
const RETRY_MS = 250;
/** After this time the pairing is loaded again: the user may have paired with another port. */
const ATTEMPT_MS = 10_000;
const MEMBER_DIGITS = 16;

/**
 * The first server of the user listens on the port of the extension; the others join it. When it
 * ends, another one listens.
 */
export class ExtensionLink {
  readonly #loadPairing: () => Promise<Pairing | undefined>;
  /** The extension recognises this server by it after the link was lost. */
  readonly #memberId = createNonce().slice(0, MEMBER_DIGITS);
  #hub: LinkHub | undefined;
  /** The next transport, also while no call waits for it. */
  #joining: Promise<Transport> | undefined;
  #end = new AbortController();

  constructor(loadPairing: () => Promise<Pairing | undefined>) {
    this.#loadPairing = loadPairing;
  }

  /** Waits for the extension; rejects with `attach_failed` if it does not connect in time. */
  async connect(signal: AbortSignal): Promise<Transport> {
    using deadline = new Deadline(LINK_MS, notConnectedFailure, signal);
    const transport = await abortable((this.#joining ??= this.#startJoining()), deadline.signal);
    this.#joining = undefined;
    return transport;
  }

  async close(): Promise<void> {
    this.#end.abort(fail('cancelled', 'The link to the extension was closed.'));
    this.#end = new AbortController();
    this.#joining = undefined;
    await this.#closeHub();
  }

  async #closeHub(): Promise<void> {
    const hub = this.#hub;
    this.#hub = undefined;
    await hub?.close();
  }

  #startJoining(): Promise<Transport> {
    const joining = this.#join(this.#end.signal);
    joining.catch(() => {
      if (this.#joining === joining) this.#joining = undefined; // the next call tries again
    });
    return joining;
  }

  async #join(signal: AbortSignal): Promise<Transport> {
    for (;;) {
      const transport = await this.#tryToJoin(await this.#requirePairing(), signal);
      if (transport) return this.#keepJoined(transport, signal);
      await sleep(RETRY_MS, signal);
    }
  }

  async #tryToJoin(pairing: Pairing, signal: AbortSignal): Promise<Transport | undefined> {
    if (this.#hub && !isSamePairing(this.#hub.pairing, pairing)) await this.#closeHub();
    this.#hub ??= await LinkHub.start(pairing);
    using deadline = new Deadline(ATTEMPT_MS, undefined, signal);
    try {
      return this.#hub
        ? await this.#hub.join(this.#memberId, deadline.signal)
        : await joinHub(pairing, this.#memberId, deadline.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProofRejected) throw foreignPortFailure(pairing.port, error);
      return undefined; // the extension did not connect in time
    }
  }

  /** Joins again as soon as the link is lost, so that this server keeps its tab groups. */
  #keepJoined(joined: Transport, signal: AbortSignal): Transport {
    const transport: Transport = {
      send: (message) => joined.send(message),
      close: () => joined.close(),
    };
    joined.onMessage = (message) => transport.onMessage?.(message);
    joined.onClose = (reason) => {
      transport.onClose?.(reason);
      if (!signal.aborted) this.#joining = this.#startJoining();
    };
    return transport;
  }

  async #requirePairing(): Promise<Pairing> {
    const pairing = await this.#loadPairing();
    if (pairing) return pairing;
    throw fail('attach_failed', 'No extension is paired with this server.', {
      hint: 'Ask the user to run "openchrome setup --extension".',
    });
  }
}

const isSamePairing = (one: Pairing, other: Pairing): boolean =>
  one.port === other.port && one.key === other.key;

const notConnectedFailure = (): Failure =>
  fail('attach_failed', `The extension did not connect within ${LINK_MS / 1000} s.`, {
    hint:
      'Ask the user to start the Chrome with the OpenChrome extension, or to pair it again with ' +
      '"openchrome setup --extension". Then call again.',
    retryable: true,
  });

const foreignPortFailure = (port: number, cause: Error): Failure =>
  fail(
    'attach_failed',
    `Another program uses port ${port}, to which the extension connects.`,
    {
      hint:
        'Ask the user to end that program, or to pair the extension again with "openchrome setup ' +
        '--extension".',
    },
    cause,
  );
