// The browser contexts of one Chrome: each has its own cookies, storage, cache and permissions.
import type { CdpConnection } from '../cdp/connection.ts';
import { isGone } from '../cdp/errors.ts';

interface ContextsOptions {
  /** Sets where Chrome saves the downloads of a new context. */
  readonly setDownloads: (
    contextId: string,
    label: string,
    signal: AbortSignal,
  ) => Promise<unknown>;
}

export class Contexts {
  readonly #connection: CdpConnection;
  readonly #options: ContextsOptions;
  readonly #open = new Set<string>();

  constructor(connection: CdpConnection, options: ContextsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Whether this server created the context. */
  has(contextId: string | undefined): contextId is string {
    return contextId !== undefined && this.#open.has(contextId);
  }

  /** Creates an empty context. `label` names its download folder. */
  async create(label: string, signal: AbortSignal): Promise<string> {
    // If this server disconnects from a Chrome that it did not start, Chrome deletes the context.
    const { browserContextId } = await this.#connection.root.send(
      'Target.createBrowserContext',
      { disposeOnDetach: true },
      signal,
    );
    this.#open.add(browserContextId);
    try {
      await this.#options.setDownloads(browserContextId, label, signal);
    } catch (error) {
      await this.dispose(browserContextId);
      throw error;
    }
    return browserContextId;
  }

  /** Closes the tabs of a context and deletes its data. */
  async dispose(contextId: string, signal?: AbortSignal): Promise<void> {
    this.#open.delete(contextId);
    await this.#connection.root
      .send('Target.disposeBrowserContext', { browserContextId: contextId }, signal)
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
  }
}
