// The link to the user's Chrome through our extension, kept open between calls.
import { type RawData, WebSocket } from 'ws';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline, sleep } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import { LinkHub } from './link-hub.ts';
import {
  createNonce,
  type Pairing,
  ProofRejected,
  proveAsCaller,
  SHARE_PATH,
} from './link-proof.ts';
import { MAX_MESSAGE_BYTES, readMessage } from './link-server.ts';

/**
 * Waits until the hub has a link to the extension; undefined if no hub listens, or if it ends.
 * Rejects with `ProofRejected` if another program listens on the port.
 */
const joinHub = async (
  { port, key }: Pairing,
  member: string,
  signal: AbortSignal,
): Promise<Transport | undefined> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${SHARE_PATH}`, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (!(await isOpened(socket))) return undefined;
    const channel = {
      send: (text: string) => socket.send(text),
      read: () => readMessage(socket, signal),
    };
    await proveAsCaller(channel, { purpose: 'share', port, key, member });
    return createTransport(socket);
  } catch (error) {
    socket.terminate();
    signal.throwIfAborted();
    if (error instanceof ProofRejected) throw error;
    return undefined; // the hub ended before the link was up
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** False if the connection is refused. Rejects if the program does not accept a WebSocket. */
const isOpened = (socket: WebSocket): Promise<boolean> =>
  new Promise((resolve, reject) => {
    socket.once('open', () => resolve(true));
    socket.once('unexpected-response', () => reject(new ProofRejected()));
    socket.on('error', () => resolve(false));
  });

const createTransport = (socket: WebSocket): Transport => {
  const transport: Transport = {
    send: (message) => socket.send(message),
    close: () => socket.close(),
  };
  socket.on('message', (data: RawData) => transport.onMessage?.((data as Buffer).toString('utf8')));
  socket.on('close', () => transport.onClose?.('the server with the link to the extension ended'));
  return transport;
};

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
