// `openchrome serve --shared`: MCP on stdio, forwarded to the daemon, in a session per host.
import { randomBytes } from 'node:crypto';
import { defined, ifDefined } from '../../core/defined.ts';
import { getField, isRecord } from '../../core/json.ts';
import type { Settings } from '../../core/config.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { createLog, type Log } from '../../core/log.ts';
import { type CallOptions, connectDaemon, type DaemonClient, RpcFailure } from '../cli/client.ts';
import { watchDefects } from '../defects.ts';
import { onSupervisorGone, receiveHandover, restart } from '../supervise.ts';
import { createClientAnswers } from './client-answers.ts';
import type { ClientPreferences } from './client-facts.ts';
import { CLIENT_INFO_KEY, findClientInfo } from './client-info.ts';
import { METHOD_NAMES } from './method-names.ts';
import type { Exchange, Methods, RpcMethod } from './methods.ts';
import { RPC, RpcError, type RpcParams } from './protocol.ts';
import { toResult } from './result.ts';
import { serveMethods } from './stdio.ts';
import type { buildWatchMethods } from './stored-methods.ts';
import { CAPABILITIES_KEY } from './task-extension.ts';

interface SharedOptions {
  readonly settings: Settings;
  readonly home: Home;
}

/** Serves until the client disconnects or this process crashes; the daemon then closes its tabs. */
export const serveShared = async ({ settings, home }: SharedOptions): Promise<void> => {
  const { config } = settings;
  if (config.http !== undefined)
    throw fail('invalid_argument', '--shared and --http cannot be used together.', {
      argument: 'shared',
    });
  const log = createLog({ level: config.logLevel });
  const session = `host-${randomBytes(4).toString('hex')}`;
  const { slim, allTools, structuredContent } = config;
  const link = new DaemonLink({
    home,
    session,
    wishes: { slim, allTools, structuredContent },
    settings: async () => settings,
  });
  link.warm();
  const stop = async (): Promise<void> => link.close();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(0)));
  const defects = watchDefects(log);
  onSupervisorGone(() => void stop().finally(() => process.exit(0)));
  const streams = { crash: defects.signal, before: await receiveHandover() };
  const rest = await serveMethods(bridge(link, log, home), { config, log, stop }, streams);
  if (!rest) return;
  defects.release();
  await restart({ rest });
};

const bridge = (link: DaemonLink, log: Log, home: Home): Methods => {
  const forwarded = METHOD_NAMES.map((name) => [name, forward(link, name, log)] as const);
  return new Map([...forwarded, ...createWatchMethods(link, log, home)]);
};

/** The daemon has no connection to this process on which it could send notifications. */
const createWatchMethods = (
  link: DaemonLink,
  log: Log,
  home: Home,
): readonly (readonly [string, RpcMethod])[] => {
  const load = async (): Promise<ReturnType<typeof buildWatchMethods>> => {
    const [{ buildWatchMethods: build }, { createDaemonWatching }] = await Promise.all([
      import('./stored-methods.ts'),
      import('./daemon-watching.ts'),
    ]);
    const watching = createDaemonWatching((...given) => link.request(...given), home);
    return build(watching, forward(link, 'prompts/list', log));
  };
  return (['resources/subscribe', 'resources/unsubscribe', 'prompts/list'] as const).map((name) => [
    name,
    async (...given) => {
      try {
        return await (await load())[name](...given);
      } catch (error) {
        throw toRpcError(error, log);
      }
    },
  ]);
};

/** Throws only RpcError, as every method does. */
const forward =
  (link: DaemonLink, name: string, log: Log): RpcMethod =>
  async (params, exchange) => {
    try {
      return await link.request(name, asHandshakeEra(params, exchange), {
        signal: exchange.signal,
        ...progressTo(params, exchange),
        createAnswers: ifDefined(
          exchange.ask,
          (ask) => (send: (response: object) => void) => createClientAnswers(ask, send),
        ),
      });
    } catch (error) {
      if (name !== 'tools/call' || !(error instanceof Failure)) throw toRpcError(error, log);
      return toResult({ failure: error, images: [], notes: [] }, { asked: false, promised: false });
    }
  };

const toRpcError = (error: unknown, log: Log): RpcError => {
  if (error instanceof RpcError) return error;
  if (error instanceof RpcFailure)
    return new RpcError(error.body.code, error.message, error.body.data);
  if (!(error instanceof Failure))
    return new RpcError(RPC.internal, 'An unexpected error occurred in the server.', {
      log_id: log.defect(error),
    });
  const { message, ...data } = error.toJSON().error;
  return new RpcError(RPC.refused, message, data);
};

/**
 * The daemon is called with the 2025 protocol, whichever the host uses. The name and the
 * capabilities of the host are passed on: features such as tasks and elicitation depend on them.
 */
const asHandshakeEra = (params: RpcParams, exchange: Exchange): RpcParams => {
  const { _meta, ...rest } = params;
  const meta = defined({
    [CAPABILITIES_KEY]: readCapabilities(exchange.envelope ?? _meta, exchange),
    [CLIENT_INFO_KEY]: findClientInfo(params, exchange),
  });
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
};

/** Declares elicitation to the daemon only if the host supports it. */
const readCapabilities = (meta: unknown, { ask }: Exchange): object | undefined => {
  const declared = getField(meta, CAPABILITIES_KEY);
  if (!isRecord(declared)) return ask && { elicitation: {} };
  const { elicitation: _, ...others } = declared;
  return ask ? { ...others, elicitation: {} } : others;
};

/** The daemon uses a progress token of its own; the host gets the token that it sent. */
const progressTo = (
  params: RpcParams,
  { notify }: Exchange,
): { onProgress?: (progress: object) => void } => {
  const meta = params['_meta'];
  const progressToken = getField(meta, 'progressToken');
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return {};
  return {
    onProgress: (progress) => void notify('notifications/progress', { ...progress, progressToken }),
  };
};

interface LinkOptions {
  readonly home: Home;
  readonly session: string;
  readonly settings: () => Promise<Settings>;
  readonly wishes: ClientPreferences;
}

class DaemonLink {
  readonly #options: LinkOptions;
  #client: Promise<DaemonClient> | undefined;
  /** Disconnected clients, recorded at once so that the next request does not use one of them. */
  readonly #gone = new WeakSet<DaemonClient>();
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Connects in advance; an error is reported to the request that needs the connection. */
  warm(): void {
    this.#connected().catch(() => {});
  }

  /**
   * Sends a request to the next daemon if the last one ended before receiving it; never sends a
   * received request twice.
   */
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

/** The daemon did not run, or ended during the request. */
const GONE: readonly string[] = ['no_daemon', 'daemon_lost'];
