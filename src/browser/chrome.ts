// One Chrome for as long as it lives: started by us over a pipe, or attached to over its socket.
import type { Config } from '../core/config.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import { CdpConnection } from './cdp/connection.ts';
import type { DomainGuard } from './guard/domain-guard.ts';
import { findOwnProxy } from './guard/proxy-flags.ts';
import { findSystemProxy } from './launch/system-proxy.ts';
import { Downloads } from './state/downloads.ts';
import type { Tab } from './tabs/tab.ts';
import { Targets } from './tabs/targets.ts';

interface StartOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly guard: DomainGuard;
}

interface ChromeListener {
  readonly onPopup: (popup: Tab, openerId: string) => void;
  readonly onGone: (tabId: string) => void;
}

/** What can be said about a running Chrome without asking it again. */
interface ChromeFacts {
  readonly product: string;
  readonly pid?: number;
  readonly path?: string;
  readonly source?: string;
  readonly headless?: boolean;
  readonly sandbox?: boolean;
  readonly profile?: string;
  readonly attachedTo?: string;
  readonly note?: string;
  /** What holds this Chrome to the domain policy, and what does not. */
  readonly guard: string;
  readonly startedAt: string;
}

export interface Chrome {
  readonly connection: CdpConnection;
  readonly targets: Targets;
  readonly downloads: Downloads;
  readonly facts: ChromeFacts;
  /** Ends a Chrome of ours with everything it left; lets go of another's. */
  close(): Promise<void>;
}

export const startChrome = (options: StartOptions, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> =>
  options.config.attach === undefined ? launch(options, signal, listener) : attach(options, options.config.attach, signal, listener);

/** Every connection of our Chrome goes through the guard's proxy, unless it goes through one of the user's. */
const holdToPolicy = async ({ config, guard, log }: StartOptions): Promise<{ said: string; flags: readonly string[]; close(): void }> => {
  const own = findOwnProxy(config.chromeArg, process.env) ?? (await findSystemProxy(process.platform, process.env));
  if (own === undefined) return { ...(await guard.openProxy()), said: 'proxy: names, addresses and sockets of every tab' };
  const said = `interception of our tabs alone: ${own} names a proxy of yours, which looks names up and dials for Chrome`;
  if (guard.policy.judgesNames) log.warn(`The domain guard works by ${said}.`);
  return { flags: [], said, close: () => {} };
};

const launch = async (options: StartOptions, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> => {
  const { config, home, log, guard } = options;
  const [{ launchChrome }, held] = await Promise.all([import('./launch/launch-chrome.ts'), holdToPolicy(options)]);
  const running = await launchChrome({ config, home, log, signal, flags: held.flags }).catch((error: unknown) => {
    held.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await running.close();
    held.close();
  };
  const connection = new CdpConnection(running.transport);
  try {
    const viewport = running.headless ? parseViewport(config.viewport) : undefined;
    const targets = new Targets(connection, { owned: true, log, guard, ...listener, ...(viewport ? { viewport } : {}) });
    const downloads = new Downloads(connection.root, { folder: home.downloads, tabOfFrame: (frameId) => targets.tabOfFrame(frameId) });
    await Promise.all([targets.start(signal), downloads.start(signal)]);
    return {
      connection,
      targets,
      downloads,
      facts: {
        product: running.version,
        pid: running.pid,
        path: running.binary.path,
        source: running.binary.source,
        headless: running.headless,
        sandbox: running.sandbox,
        profile: running.profile.kind,
        ...(running.profile.note === undefined ? {} : { note: running.profile.note }),
        guard: held.said,
        startedAt: new Date().toISOString(),
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const attach = async ({ log, guard }: StartOptions, where: string, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> => {
  const [{ findAttachEndpoint }, { connectSocket }] = await Promise.all([import('./launch/attach.ts'), import('./cdp/socket.ts')]);
  const { webSocketUrl } = await findAttachEndpoint(where, signal);
  const connection = new CdpConnection(await connectSocket(webSocketUrl, signal));
  const targets = new Targets(connection, { owned: false, log, guard, ...listener });
  const downloads = new Downloads(connection.root, { tabOfFrame: (frameId) => targets.tabOfFrame(frameId) });
  const [version] = await Promise.all([
    connection.root.send('Browser.getVersion', undefined, signal),
    targets.start(signal),
    downloads.start(signal),
  ]);
  return {
    connection,
    targets,
    downloads,
    facts: {
      product: version.product,
      attachedTo: webSocketUrl,
      note: 'This Chrome was running before: it and its tabs are left as they are.',
      guard:
        'interception of the tabs worked in: what a name stands for, other tabs and what a popup sends in its first moment are not judged',
      startedAt: new Date().toISOString(),
    },
    close: async () => connection.close(),
  };
};

const parseViewport = (text: string): { width: number; height: number } => {
  const [width = 1280, height = 720] = text.split('x').map(Number);
  return { width, height };
};
