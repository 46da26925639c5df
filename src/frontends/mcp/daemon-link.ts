// A host's way to the daemon: found or started when first needed, and anew when it has gone; the host's tabs last as long as it does.
import type { Settings } from '../../core/config.ts';
import { Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import type { Wishes } from './client-facts.ts';
import { type CallOptions, connectDaemon, type DaemonClient } from '../cli/client.ts';

interface LinkOptions {
  readonly home: Home;
  readonly session: string;
  readonly settings: () => Promise<Settings>;
  readonly wishes: Wishes;
}

export class DaemonLink {
  readonly #options: LinkOptions;
  #client: Promise<DaemonClient> | undefined;
  /** Those that are of no use any more: known at once, so that the next request does not get one of them. */
  readonly #gone = new WeakSet<DaemonClient>();
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Begins to connect, so that the first request finds it done; what goes wrong is said to the request that needs it. */
  warm(): void {
    this.#connected().catch(() => {});
  }

  /** What did not reach a daemon that has gone is sent to the next one; what did is never sent twice. */
  async request(method: string, params: object, options: CallOptions): Promise<object> {
    const client = await this.#useful();
    try {
      return await client.request(method, params, options);
    } catch (error) {
      if (!(error instanceof Failure) || !GONE.includes(error.code)) throw error;
      this.#gone.add(client);
      if (error.code === 'daemon_lost') throw error;
      return (await this.#useful()).request(method, params, options);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.then((client) => client.close()).catch(() => {});
  }

  async #useful(): Promise<DaemonClient> {
    for (;;) {
      const connecting = this.#connected();
      const client = await connecting;
      if (!this.#gone.has(client)) return client;
      if (this.#client === connecting) this.#client = undefined;
    }
  }

  #connected(): Promise<DaemonClient> {
    const connecting = (this.#client ??= this.#connect());
    connecting.catch(() => {
      if (this.#client === connecting) this.#client = undefined; // the next request tries again
    });
    return connecting;
  }

  async #connect(): Promise<DaemonClient> {
    const client: DaemonClient = await connectDaemon({
      ...this.#options,
      mayHaveFlags: true,
      start: true,
      onGone: () => void this.#gone.add(client),
    });
    if (this.#closed) await client.close();
    return client;
  }
}

/** Nobody was there, or nobody is any more. */
const GONE: readonly string[] = ['no_daemon', 'daemon_lost'];
