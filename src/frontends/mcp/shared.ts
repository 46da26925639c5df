// `openchrome serve --shared`: MCP on stdio, every request answered by the daemon, in a workspace that ends with its host.
import { randomBytes } from 'node:crypto';
import type { Settings } from '../../core/config.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { createLog, type Log } from '../../core/log.ts';
import { RpcFailure } from '../cli/client.ts';
import { watchDefects } from '../defects.ts';
import { onSupervisorGone, receiveHandover, restart } from '../supervise.ts';
import { DaemonLink } from './daemon-link.ts';
import { METHOD_NAMES, type Exchange, type Method, type Methods } from './methods.ts';
import { isObject, RPC, RpcError, type Params } from './protocol.ts';
import { toResult } from './result.ts';
import { serveMethods } from './stdio.ts';
import { CAPABILITIES_KEY } from './tasks.ts';

interface SharedOptions {
  readonly settings: Settings;
  readonly home: Home;
}

/** Serves until the client is gone or this process crashes; the daemon then closes the tabs that were opened for it. */
export const serveShared = async ({ settings, home }: SharedOptions): Promise<void> => {
  const { config } = settings;
  if (config.http !== undefined)
    throw fail('invalid_argument', '--shared serves stdio; with --http it would be a server of its own.', { argument: 'shared' });
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop().finally(() => process.exit(0)));
  const defects = watchDefects(log);
  onSupervisorGone(() => void stop().finally(() => process.exit(0)));
  const streams = { crash: defects.signal, before: await receiveHandover() };
  const rest = await serveMethods(bridge(link, log), { config, log, stop }, streams);
  if (!rest) return;
  defects.release();
  await restart({ rest });
};

const bridge = (link: DaemonLink, log: Log): Methods => new Map(METHOD_NAMES.map((name) => [name, forward(link, name, log)]));

/** Throws RpcError and nothing else, as every method does. */
const forward =
  (link: DaemonLink, name: string, log: Log): Method =>
  async (params, exchange) => {
    try {
      return await link.request(name, asHandshakeEra(params, exchange), { signal: exchange.signal, ...progressTo(params, exchange) });
    } catch (error) {
      if (error instanceof RpcFailure) throw new RpcError(error.body.code, error.message, error.body.data);
      if (!(error instanceof Failure))
        throw new RpcError(RPC.internal, 'The server met an error that it did not expect.', { log_id: log.defect(error) });
      if (name === 'tools/call') return toResult({ failure: error, images: [], notes: [] }, { asked: false, promised: false });
      const { message, ...data } = error.toJSON().error;
      throw new RpcError(RPC.refused, message, data);
    }
  };

/**
 * The daemon is asked in the 2025 protocol, whichever the host speaks: what only the other one has, such as following
 * tasks, depends on what the client says that it can do, and that is passed on.
 */
const asHandshakeEra = (params: Params, { envelope }: Exchange): Params => {
  const meta = envelope ?? params['_meta'];
  const capabilities = isObject(meta) ? meta[CAPABILITIES_KEY] : undefined;
  const { _meta, ...rest } = params;
  return capabilities === undefined ? rest : { ...rest, _meta: { [CAPABILITIES_KEY]: capabilities } };
};

/** The daemon counts under a name of its own; the host is told under the one that it gave. */
const progressTo = (params: Params, { notify }: Exchange): { onProgress?: (progress: object) => void } => {
  const meta = params['_meta'];
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return {};
  return { onProgress: (progress) => void notify('notifications/progress', { ...progress, progressToken }) };
};
