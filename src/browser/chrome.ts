// One Chrome for as long as it lives: started by us over a pipe, or attached to over its socket.
import type { Config } from '../core/config.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import { CdpConnection } from './cdp/connection.ts';
import type { Tab } from './tabs/tab.ts';
import { Targets } from './tabs/targets.ts';

interface StartOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
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
  readonly startedAt: string;
}

export interface Chrome {
  readonly connection: CdpConnection;
  readonly targets: Targets;
  readonly facts: ChromeFacts;
  /** The blank tab that our Chrome started with, once. */
  takeSpareTab(signal: AbortSignal): Promise<Tab | undefined>;
  isSpare(targetId: string): boolean;
  /** Ends a Chrome of ours with everything it left; lets go of another's. */
  close(): Promise<void>;
}

export const startChrome = (options: StartOptions, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> =>
  options.config.attach === undefined ? launch(options, signal, listener) : attach(options, options.config.attach, signal, listener);

const launch = async ({ config, home, log }: StartOptions, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> => {
  const { launchChrome } = await import('./launch/launch-chrome.ts');
  const running = await launchChrome({ config, home, log, signal });
  const connection = new CdpConnection(running.transport);
  try {
    const viewport = running.headless ? parseViewport(config.viewport) : undefined;
    const targets = new Targets(connection, { owned: true, log, ...listener, ...(viewport ? { viewport } : {}) });
    await targets.start(signal);
    return {
      connection,
      targets,
      facts: {
        product: running.version,
        pid: running.pid,
        path: running.binary.path,
        source: running.binary.source,
        headless: running.headless,
        sandbox: running.sandbox,
        profile: running.profile.kind,
        ...(running.profile.note === undefined ? {} : { note: running.profile.note }),
        startedAt: new Date().toISOString(),
      },
      ...spareTab(targets),
      close: () => running.close(),
    };
  } catch (error) {
    await running.close();
    throw error;
  }
};

/** The tab that a fresh Chrome comes with is given to the first who wants one, instead of opening a second. */
const spareTab = (targets: Targets): Pick<Chrome, 'takeSpareTab' | 'isSpare'> => {
  let spareId = targets.infos.find(({ url }) => url === 'about:blank' || url === 'chrome://newtab/')?.targetId;
  return {
    isSpare: (targetId) => targetId === spareId,
    takeSpareTab: async (signal) => {
      const id = spareId;
      spareId = undefined;
      return id === undefined ? undefined : targets.findTab(id, signal);
    },
  };
};

const attach = async ({ log }: StartOptions, where: string, signal: AbortSignal, listener: ChromeListener): Promise<Chrome> => {
  const [{ findAttachEndpoint }, { connectSocket }] = await Promise.all([import('./launch/attach.ts'), import('./cdp/socket.ts')]);
  const { webSocketUrl } = await findAttachEndpoint(where, signal);
  const connection = new CdpConnection(await connectSocket(webSocketUrl, signal));
  const targets = new Targets(connection, { owned: false, log, ...listener });
  const [version] = await Promise.all([connection.root.send('Browser.getVersion', undefined, signal), targets.start(signal)]);
  return {
    connection,
    targets,
    facts: {
      product: version.product,
      attachedTo: webSocketUrl,
      note: 'This Chrome was running before: it and its tabs are left as they are.',
      startedAt: new Date().toISOString(),
    },
    takeSpareTab: async () => undefined,
    isSpare: () => false,
    close: async () => connection.close(),
  };
};

const parseViewport = (text: string): { width: number; height: number } => {
  const [width = 1280, height = 720] = text.split('x').map(Number);
  return { width, height };
};
