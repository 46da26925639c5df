// The link to the user's Chrome through our extension, kept open between calls.
import { fail, type Failure } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import { LinkServer } from './link-server.ts';

/** The port of the link and its key; both are set when the user pairs the extension. */
export interface Pairing {
  readonly port: number;
  readonly key: string;
}

/** The extension tries to connect every 2.5 s. */
const LINK_MS = 8_000;

export class ExtensionLink {
  readonly #loadPairing: () => Promise<Pairing | undefined>;
  #server: Promise<LinkServer> | undefined;

  constructor(loadPairing: () => Promise<Pairing | undefined>) {
    this.#loadPairing = loadPairing;
  }

  /** Waits for the extension; rejects with `attach_failed` if it does not connect in time. */
  async connect(signal: AbortSignal): Promise<Transport> {
    this.#server ??= this.#listen();
    const server = await this.#server.catch((error: unknown) => {
      this.#server = undefined; // the next call tries again
      throw error;
    });
    using deadline = new Deadline(LINK_MS, notConnectedFailure, signal);
    return await server.takeLink(deadline.signal);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined); // a call has reported the error
    this.#server = undefined;
    await server?.close();
  }

  async #listen(): Promise<LinkServer> {
    const pairing = await this.#loadPairing();
    if (pairing) return LinkServer.start({ ...pairing, purpose: 'link' });
    throw fail('attach_failed', 'No extension is paired with this server.', {
      hint: 'Ask the user to run "openchrome setup --extension".',
    });
  }
}

const notConnectedFailure = (): Failure =>
  fail('attach_failed', `The extension did not connect within ${LINK_MS / 1000} s.`, {
    hint:
      'Ask the user to start the Chrome with the OpenChrome extension, or to pair it again with ' +
      '"openchrome setup --extension". Then call again.',
    retryable: true,
  });
