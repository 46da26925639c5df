// Connects to a Chrome that asks its user for consent, and keeps the attempt between calls.
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';

/** The call fails after this time; the attempt goes on until the user answers. */
const CALL_MS = 4_000;

interface ConnectionAttempt {
  readonly url: string;
  readonly transport: Promise<Transport>;
  readonly cancel: AbortController;
}

type OpenSocket = (url: string, signal: AbortSignal) => Promise<Transport>;

/** One attempt at a time: calls that come before the user has answered share it. */
export class ConsentWait {
  #attempt: ConnectionAttempt | undefined;

  /** Rejects with `consent_needed` if the user has not answered in time. */
  async connect(url: string, open: OpenSocket, signal: AbortSignal): Promise<Transport> {
    if (this.#attempt?.url !== url) this.#begin(url, open);
    const { transport } = this.#attempt as ConnectionAttempt;
    const connected = await waitBriefly(transport, signal);
    this.#attempt = undefined; // the caller owns the connection from now on
    return connected;
  }

  /** Ends an attempt that no call has taken. */
  abandon(): void {
    this.#attempt?.cancel.abort(fail('cancelled', 'The connection to Chrome was abandoned.'));
    this.#attempt = undefined;
  }

  #begin(url: string, open: OpenSocket): void {
    this.abandon();
    const cancel = new AbortController();
    const attempt: ConnectionAttempt = { url, cancel, transport: open(url, cancel.signal) };
    this.#attempt = attempt;
    const forget = (): void => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    };
    attempt.transport.then((transport) => {
      if (cancel.signal.aborted) transport.close();
      transport.onClose = forget;
    }, forget);
  }
}

const waitBriefly = (transport: Promise<Transport>, signal: AbortSignal): Promise<Transport> =>
  new Promise((resolve, reject) => {
    const timer = after(CALL_MS, () =>
      reject(fail('consent_needed', 'Chrome waits for its user to allow remote debugging.')),
    );
    const stop = (): void => reject(signal.reason as Error);
    const finish = (): void => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', stop);
    };
    signal.addEventListener('abort', stop, { once: true });
    transport.then(resolve, reject).finally(finish);
  });
