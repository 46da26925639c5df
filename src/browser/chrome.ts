// One running Chrome: started by us over a pipe, or attached over its WebSocket.
import { resolve } from 'node:path';
import { listIf } from '../core/collections.ts';
import { defined } from '../core/defined.ts';
import type { Config } from '../core/config.ts';
import { fail } from '../core/failure.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import { CdpConnection, requireField, type Transport } from './cdp/connection.ts';
import { CdpError } from './cdp/errors.ts';
import type { ExtensionLink } from './extension/extension-link.ts';
import { DEFAULT_AGENT, type GrantEnd } from './extension/link-commands.ts';
import { BrowserGuard, type SubmitJudge } from './guard/browser-guard.ts';
import type { ConsentWait } from './launch/consent-wait.ts';
import type { DomainGuard } from './guard/domain-guard.ts';
import { type EffectGate, judgeDownload, judgePaused } from './guard/effect-gate.ts';
import { FilterProxy } from './guard/filter-proxy.ts';
import { findOwnProxy } from './guard/proxy-flags.ts';
import type { TabControls } from './guard/tab-guard.ts';
import { launchChrome } from './launch/launch-chrome.ts';
import { findSystemProxy } from './launch/system-proxy.ts';
import type { Downloads } from './state/downloads.ts';
import type { Contexts } from './tabs/contexts.ts';
import type { Tab, TabOptions } from './tabs/tab.ts';
import { DEFAULT_SESSION } from './tabs/session.ts';
import type { PopupSource, Targets, TargetsOptions } from './tabs/targets.ts';

interface StartOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly guard: DomainGuard;
  /** Judges submits and downloads. */
  readonly gate?: EffectGate;
  /** Open a tab together with Chrome's start commands, because the caller needs one. */
  readonly withTab: boolean;
  /** The address of the attached Chrome before the connection was lost. */
  readonly reconnectUrl?: string | undefined;
  /** The attempt to connect to a Chrome whose user must allow it. */
  readonly consent: ConsentWait;
  /** The link to our extension, for --attach extension. */
  readonly requireLink: () => Promise<ExtensionLink>;
}

interface ChromeListener {
  readonly onPopup: (popup: Tab, openerId: string | undefined) => void;
  readonly findSetup: (from: PopupSource) => TabOptions['setUp'];
  readonly findSession: (tabId: string) => string | undefined;
  readonly onGone: (tabId: string) => void;
  /** The user ended the access to a tab of the own Chrome. */
  readonly onGrantEnded: (tabId: string, reason: GrantEnd) => void;
}

/** Facts about a running Chrome that need no CDP command. */
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

/** The current controls of a running Chrome. */
export interface ChromeControls {
  /** Describes which connections are restricted. */
  readonly guard: string;
  readonly proxy: 'on' | 'off' | 'failed';
  readonly sandbox: 'on' | 'off' | 'unknown';
  /** How certificates are checked; undefined if no option changes it. */
  readonly certificates?: string;
  /** Restricted tabs, how many of them have all controls, and the failures of the others. */
  readonly tabs: {
    readonly restricted: number;
    readonly controlled: number;
    readonly failures: readonly string[];
  };
}

export interface Chrome {
  controls(): ChromeControls;
  readonly connection: CdpConnection;
  readonly targets: Targets;
  readonly contexts: Contexts;
  readonly downloads: Downloads;
  readonly facts: ChromeFacts;
  /** The address of an attached Chrome, with which a lost connection can be restored. */
  readonly reconnectUrl?: string;
  /** Ends a Chrome that we started and removes its files; disconnects from another one. */
  close(): Promise<void>;
}

export const startChrome = (
  options: StartOptions,
  signal: AbortSignal,
  listener: ChromeListener,
): Promise<Chrome> =>
  options.config.attach === undefined && options.config.attachFrom === undefined
    ? launch(options, signal, listener)
    : attach(options, signal, listener);

/**
 * Routes all connections of our Chrome through the guard's proxy, unless the user has set a proxy.
 */
const holdToPolicy = async ({ config, guard, log }: StartOptions): Promise<Held> => {
  const own =
    config.proxy.length > 0
      ? findOwnProxy(config.chromeArg, {})
      : (findOwnProxy(config.chromeArg, process.env) ??
        (await findSystemProxy(process.platform, process.env)));
  if (own === undefined) {
    const proxy = await guard.openProxy((options) => FilterProxy.start(options));
    const state = (): Pick<ChromeControls, 'proxy' | 'guard'> =>
      proxy.isListening()
        ? { proxy: 'on', guard: 'proxy: checks host names, addresses and sockets of every tab' }
        : {
            proxy: 'failed',
            guard: 'the proxy has stopped: Chrome can reach only this machine',
          };
    return { ...proxy, state };
  }
  const said =
    `interception of this server's tabs only: ${own} sets another proxy, which resolves names ` +
    'and connects for Chrome';
  if (guard.policy.judgesNames) log.warn(`The domain guard uses ${said}.`);
  return { flags: [], state: () => ({ proxy: 'off', guard: said }), close: () => {} };
};

interface Held {
  readonly flags: readonly string[];
  /** The current restriction of connections. */
  readonly state: () => Pick<ChromeControls, 'proxy' | 'guard'>;
  close(): void;
}

const tabControls = ({ tabs }: Targets): ChromeControls['tabs'] => {
  const restricted = tabs.map(({ guard }) => guard.controls).filter((tab) => tab.restricted);
  const isControlled = ({ failure, intercepted }: TabControls): boolean =>
    failure === undefined && intercepted > 0;
  return {
    restricted: restricted.length,
    controlled: restricted.filter(isControlled).length,
    failures: [...new Set(restricted.flatMap(({ failure }) => failure ?? []))],
  };
};

/** `isProxied`: Chrome connects through the guard's proxy, which checks the user's certificates. */
const describeCertificates = (
  { insecure, acceptCertificate, caCert, clientCert }: Config,
  isProxied: boolean,
): string | undefined => {
  if (insecure) return 'not checked (--insecure)';
  if (clientCert.length > 0 && !isProxied) return CLIENT_CERT_UNUSED;
  const pinned = acceptCertificate.map((pin) => pin.slice(0, pin.lastIndexOf('=')));
  if (pinned.length + caCert.length === 0) return undefined;
  if (!isProxied)
    return 'Chrome uses another proxy, so --accept-certificate and --ca-cert apply only to fetches';
  return `also accepted: ${[...pinned, ...caCert.map((path) => `issuers in ${path}`)].join(', ')}`;
};

const CLIENT_CERT_UNUSED =
  'Chrome uses another proxy, so --client-cert, --accept-certificate and --ca-cert apply only to ' +
  'fetches';

const launch = async (
  options: StartOptions,
  signal: AbortSignal,
  listener: ChromeListener,
): Promise<Chrome> => {
  const { config, home, log } = options;
  const held = await holdToPolicy(options);
  const certificates = describeCertificates(config, held.state().proxy !== 'off');
  if (certificates !== undefined) log.warn(`Certificates: ${certificates}.`);
  let opening: Promise<Opened> | undefined;
  const onStarted = ({
    transport,
    headless,
  }: {
    transport: Transport;
    headless: boolean;
  }): void => {
    opening = open(options, new CdpConnection(transport), headless, signal, listener);
    opening.catch(() => {}); // if Chrome did not start, the launch reports it
  };
  const running = await launchChrome({
    config,
    home,
    log,
    signal,
    flags: [...held.flags, ...listIf(config.insecure, '--ignore-certificate-errors')],
    onStarted,
  }).catch((error: unknown) => {
    held.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await running.close();
    held.close();
  };
  try {
    const opened = requireField(await opening, 'its pipe');
    return {
      ...opened,
      facts: defined({
        product: running.version,
        pid: running.pid,
        path: running.binary.path,
        source: running.binary.source,
        headless: running.headless,
        sandbox: running.sandbox,
        profile: running.profile.kind,
        note: running.profile.note,
        startedAt: new Date().toISOString(),
      }),
      controls: () => ({
        ...held.state(),
        sandbox: running.sandbox ? 'on' : 'off',
        ...defined({ certificates }),
        tabs: tabControls(opened.targets),
      }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

type Opened = Pick<Chrome, 'connection' | 'targets' | 'contexts' | 'downloads'>;

/** Loads modules while Chrome starts, and sends all setup commands at once. */
const open = async (
  { config, home, log, guard, gate, withTab }: StartOptions,
  connection: CdpConnection,
  headless: boolean,
  signal: AbortSignal,
  listener: ChromeListener,
): Promise<Opened> => {
  const [{ Targets }, { Downloads }, { Contexts }] = await loadParts();
  const viewport = headless ? parseViewport(config.viewport) : undefined;
  const contexts: Contexts = new Contexts(connection, {
    setDownloads: (...context) => downloads.startContext(...context),
  });
  const judgeSubmit: SubmitJudge | undefined =
    gate?.allowSubmit && ((...paused) => judgePaused(targets, listener, gate, ...paused));
  const browserGuard = new BrowserGuard(connection.root, guard, judgeSubmit);
  const targets: Targets = new Targets(
    connection,
    defined({
      ...{ owned: true, log, guard, browserGuard, contexts, ...listener, viewport },
      bypassesWorkers: judgeSubmit !== undefined,
      onPopup: (popup: Tab, openerId: string | undefined) => {
        listener.onPopup(popup, openerId);
        downloads.claim(popup);
      },
    }),
  );
  const downloads: Downloads = new Downloads(connection.root, {
    folder: home.downloads,
    findSession: listener.findSession,
    tabOfFrame: (frameId) => targets.tabOfFrame(frameId),
    allowanceOf: (frameId) => targets.allowanceOf(frameId),
    ...(gate?.allowDownload && {
      allow: (url, file, frameId) => judgeDownload(targets, listener, gate, { url, file, frameId }),
    }),
  });
  const told: Promise<unknown>[] = [
    browserGuard.start(),
    targets.start(signal),
    downloads.start(signal),
    ...config.extension.map((path) => loadExtension(connection, path, signal)),
  ];
  if (withTab) targets.openAhead(signal);
  await Promise.all(told);
  return { connection, targets, contexts, downloads };
};

const loadExtension = async (
  { root }: CdpConnection,
  path: string,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await root.send('Extensions.loadUnpacked', { path: resolve(path) }, signal);
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    throw fail(
      'invalid_argument',
      `--extension: ${path} cannot be loaded: ${error.message.slice(0, 300)}.`,
      { argument: 'extension' },
      error,
    );
  }
};

const loadParts = () =>
  Promise.all([
    import('./tabs/targets.ts'),
    import('./state/downloads.ts'),
    import('./tabs/contexts.ts'),
  ]);

const attach = async (
  options: StartOptions,
  signal: AbortSignal,
  listener: ChromeListener,
): Promise<Chrome> => {
  const { config, log, guard, gate } = options;
  const isExtension = config.attach === 'extension';
  if (config.extension.length > 0)
    throw fail('invalid_argument', '--extension does not work with a Chrome that already runs.', {
      argument: 'extension',
      hint: 'Omit --attach, or load the extension in that Chrome.',
    });
  const [{ transport, address, reconnectUrl }, [{ Targets }, { Downloads }, { Contexts }]] =
    await Promise.all([
      isExtension ? connectExtension(options, signal) : connectByAddress(options, signal),
      loadParts(),
    ]);
  const certificates = describeCertificates(config, false) && ATTACHED_CERTIFICATES;
  const connection = new CdpConnection(transport);
  const contexts: Contexts = new Contexts(connection, {
    setDownloads: (...context) => downloads.startContext(...context),
  });
  const hooks = isExtension ? extensionHooks(connection) : {};
  connection.root.on('OpenChrome.grantEnded', ({ targetId, reason }) =>
    listener.onGrantEnded(targetId, reason),
  );
  const targets: Targets = new Targets(connection, {
    ...{ owned: false, log, guard, contexts },
    ...listener,
    ...hooks,
    ...(gate?.allowSubmit && {
      // Interception of the whole browser would also hold the user's own requests.
      judgeSubmit: (event, tabId) => judgePaused(targets, listener, gate, event, tabId),
    }),
  });
  const downloads = new Downloads(connection.root, {
    findSession: listener.findSession,
    tabOfFrame: (frameId) => targets.tabOfFrame(frameId),
  });
  const [version] = await Promise.all([
    connection.root.send('Browser.getVersion', undefined, signal),
    targets.start(signal),
    downloads.start(signal),
  ]);
  return {
    connection,
    targets,
    contexts,
    downloads,
    ...defined({ reconnectUrl }),
    facts: {
      product: version.product,
      attachedTo: address,
      note: 'This Chrome was already running: it and its tabs stay open.',
      startedAt: new Date().toISOString(),
    },
    controls: () => ({
      guard: ATTACHED_GUARD,
      proxy: 'off',
      sandbox: 'unknown',
      ...defined({ certificates }),
      tabs: tabControls(targets),
    }),
    close: async () => connection.close(),
  };
};

interface Connected {
  readonly transport: Transport;
  readonly address: string;
  readonly reconnectUrl?: string | undefined;
}

const connectByAddress = async (
  { config, consent, reconnectUrl }: StartOptions,
  signal: AbortSignal,
): Promise<Connected> => {
  const { connectRemote } = await import('./launch/attach.ts');
  return connectRemote(config, consent, signal, reconnectUrl);
};

const LINK_NAME = 'the OpenChrome extension';

const connectExtension = async (
  { requireLink }: StartOptions,
  signal: AbortSignal,
): Promise<Connected> => {
  const link = await requireLink();
  const transport = await link.connect(signal);
  return { transport, address: LINK_NAME, reconnectUrl: LINK_NAME };
};

/** Tabs open in the group of their session, and the extension shows the calls in each tab. */
const extensionHooks = ({
  root,
}: CdpConnection): Required<Pick<TargetsOptions, 'openTarget' | 'onAttached'>> => ({
  openTarget: (session, signal) => {
    const agent = session === DEFAULT_SESSION ? DEFAULT_AGENT : session;
    return root.send('OpenChrome.openTab', { agent }, signal);
  },
  onAttached: (tab) => {
    const report = (action?: string): void => {
      const call = defined({ targetId: tab.id, action });
      root.send('OpenChrome.reportCall', call).catch(() => {}); // the tab is closed
    };
    tab.events.on('call', ({ tool }) => report(tool));
    tab.events.on('called', () => report());
  },
});

const ATTACHED_GUARD =
  'interception of the used tabs only: resolved addresses, other tabs and the first requests of ' +
  'a popup are not checked';

const ATTACHED_CERTIFICATES =
  'checked by the attached Chrome; --insecure, --accept-certificate, --ca-cert and --client-cert ' +
  'apply only to fetches';

const parseViewport = (text: string): { width: number; height: number } => {
  const [width = 1280, height = 720] = text.split('x').map(Number);
  return { width, height };
};
