// The composition root: the only file that imports every layer. No globals, no container.
import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { compact, defined } from './core/defined.ts';
import { Browser, type InitScript, type TabSummary } from './browser/browser.ts';
import type { CertificateTrust } from './browser/guard/certificate-trust.ts';
import { DomainGuard } from './browser/guard/domain-guard.ts';
import type { DownloadRequest, EffectGate, SubmitRequest } from './browser/guard/effect-gate.ts';
import type { UpstreamRoutes } from './browser/guard/upstream-proxy.ts';
import { createProcesses } from './system/process-identity.ts';
import type { Config } from './core/config.ts';
import { Events } from './core/events.ts';
import { fail } from './core/failure.ts';
import type { Redactor } from './core/redactor.ts';
import type { Home } from './core/home.ts';
import type { Wiring } from './frontends/cli/wiring.ts';
import { createLineTest, toResult } from './frontends/mcp/result.ts';
import { createLog } from './core/log.ts';
import { Deadline, IdleTimer } from './core/time.ts';
import { WorkerPool } from './core/worker-pool.ts';
import { runCall } from './pipeline/index.ts';
import { replyWithResult } from './pipeline/present/fit.ts';
import type { Engine, ListedTab } from './pipeline/engine.ts';
import { ConsentPolicy, OWN_CHROME_RULES } from './policy/consent-policy.ts';
import { DomainPolicy, parseDomains } from './policy/domains.ts';
import { createRedactor } from './policy/redact.ts';
import { noFindings } from './policy/sanitise-text.ts';
import { sanitiseData, sanitiseLargeData } from './policy/sanitise.ts';
import { Handles } from './store/handles/handles.ts';
import { PayloadFiles } from './store/handles/payload-files.ts';
import type { MemberRole } from './store/cluster/cluster-store.ts';
import { createPayloadWriter } from './store/files/payload-writer.ts';
import { openJournal } from './store/journal/journal.ts';
import { DashboardPorts } from './store/config/dashboard-ports.ts';
import { loadSecrets, type Secret, SecretHosts } from './store/config/secrets-file.ts';
import { Logins } from './store/files/logins.ts';
import { TaskStore } from './store/tasks/task-store.ts';
import type { Services } from './toolkit/context.ts';
import { listTaskKinds, type Tool } from './toolkit/define-tool.ts';
import { TOOLS } from './tools/index.ts';
import type { Cluster, CreateCluster } from './features/cluster/cluster.ts';
import type { Consent } from './features/consent/consent.ts';
import { startCleanup } from './features/cleanup/cleanup.ts';
import type { Session } from './browser/tabs/session.ts';
import { prepareWhenQuiet } from './features/network/prepare-when-quiet.ts';
import type { RecipePrompts } from './features/recipe/recipe-prompts.ts';
import type { ResourceKind, StoredResources } from './features/resources/stored-resources.ts';
import type { ConsentRule } from './core/consent-rule.ts';
import { Owners } from './features/tasks/reaper.ts';
import { Tasks } from './features/tasks/tasks.ts';
import type { Observer } from './features/observe/observer.ts';

interface CliParts extends Pick<Wiring, 'loadConfig'> {
  /** Undefined without --cluster. */
  readonly loadCluster?: (config: Config, role: MemberRole) => Promise<CreateCluster | undefined>;
}

/** Uses the stores of a cluster without becoming a member of it. */
export const withCluster = async <T>(
  createCluster: CreateCluster | undefined,
  config: Config,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> => {
  if (!createCluster) throw new Error('a cluster is configured');
  const cluster = openCluster(createCluster, config);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
};

/** The stores of a cluster for a command, which is not a member. */
export const openCluster = (createCluster: CreateCluster, config: Config): Cluster => {
  const writer = createPayloadWriter(createRedactor([]));
  return createCluster({ writer, log: createLog({ level: config.logLevel }) });
};

/** The functions of the command line that run in its own process, besides serving. */
export const wireCli = (
  { loadConfig, loadCluster }: CliParts,
  home: Home,
): Pick<
  Wiring,
  'runDoctor' | 'installBrowser' | 'callStored' | 'recordLogin' | 'checkLogin' | 'openWaiting'
> => ({
  openWaiting: async () => {
    const { Waiting } = await import('./features/consent/waiting.ts');
    const log = createLog({ level: 'warn' });
    const writer = createPayloadWriter(createRedactor([]));
    return new Waiting({ home, log, journal: openJournal({ folder: home.journal, log, writer }) });
  },
  callStored: async (call) => {
    const config = await loadConfig([]);
    const createCluster = await loadCluster?.(config, 'gateway');
    const engine = createEngine({ config, home, createCluster });
    try {
      const reply = await engine.call({
        ...call,
        wholeReply: true,
        shell: call.shell,
        fits: createLineTest(false),
      });
      return toResult(reply, { asked: true, promised: false });
    } finally {
      await engine.stop();
    }
  },
  runDoctor: async (config, signal) => {
    const { runDoctor } = await import('./features/doctor/index.ts');
    return runDoctor({ config, home, log: createLog({ level: config.logLevel }), signal });
  },
  installBrowser: async (progress, signal) => {
    const { installBrowser } = await import('./browser/launch/install-browser.ts');
    return installBrowser({ home, progress, signal });
  },
  recordLogin: ({ config, ...options }) => {
    const headed = config.headless !== true;
    return withLoginBrowser({ ...config, headed }, home, async (browser) => {
      const { recordLogin } = await import('./features/session/saved-login.ts');
      return recordLogin({ ...options, browser, logins: new Logins(home.logins) });
    });
  },
  checkLogin: (name, config, signal) =>
    withLoginBrowser({ ...config, headless: true, headed: false }, home, async (browser) => {
      const { checkLogin } = await import('./features/session/saved-login.ts');
      return checkLogin({ browser, logins: new Logins(home.logins), signal }, name);
    }),
});

/** Runs work with a Chrome of its own, in a temporary profile, under the owner's domain policy. */
const withLoginBrowser = async <T>(
  given: Config,
  home: Home,
  work: (browser: Browser) => Promise<T>,
): Promise<T> => {
  const config = {
    ...given,
    isolated: true,
    profile: undefined,
    attach: undefined,
    attachFrom: undefined,
  };
  const log = createLog({ level: config.logLevel });
  const secrets = loadSecrets(config.secrets);
  const redactor = createRedactor(secrets.map(({ value }) => value));
  const dashboards = new DashboardPorts(home.run);
  const guard = new DomainGuard({
    policy: domainPolicy(config, dashboards),
    ...(config.proxy.length > 0 && { loadUpstream: () => loadUpstream(config, redactor) }),
    ...(changesCertificates(config) && { loadTrust: () => loadTrust(config, secrets, redactor) }),
  });
  const browser = new Browser({ config, home, log, redactor, guard });
  try {
    return await work(browser);
  } finally {
    await browser.stop();
  }
};

const withShortId = ({ sessions }: Browser, tab: TabSummary): ListedTab => {
  const session = sessions.find(({ name }) => name === tab.session);
  return { ...tab, ...compact({ short: session?.shortIds.get(tab.tabId) }) };
};

/**
 * Timeout for closing a session's tabs, which takes milliseconds; a hanging tab ends with Chrome.
 */
const END_SESSION_MS = 5_000;

/** Scripts that run at the same time; further ones wait until their deadline. */
const MAX_SCRIPTS = 8;
/** Longer than a model takes to write its next script: a new thread takes 100 ms, an idle one 9 MB. */
const SCRIPT_IDLE_MS = 60_000;

/** Loads a part of the engine on first use. */
const once = <T>(create: () => Promise<T>) => {
  const part = {
    /** Undefined until the first use. */
    loaded: undefined as Promise<T> | undefined,
    load: (): Promise<T> => (part.loaded ??= create()),
  };
  return part;
};

/** The gate of the browser; its functions are absent if no rule needs them. */
/** In the user's own Chrome, the first rules of the owner still decide. */
const listConsentRules = ({ policy, attach }: Config): readonly ConsentRule[] =>
  attach === 'extension' ? [...policy, ...OWN_CHROME_RULES] : policy;

const createEffectGate = (policy: ConsentPolicy, load: () => Promise<Consent>): EffectGate =>
  defined({
    allowSubmit: policy.intercepts('submit')
      ? async (request: SubmitRequest) => (await load()).judgePage('submit', request)
      : undefined,
    allowDownload: policy.intercepts('download')
      ? async (request: DownloadRequest) => (await load()).judgePage('download', request)
      : undefined,
  });

/** Loads the resources when a client first uses them. */
const createResourceRoom = (services: Services): Engine['resources'] => {
  const { load } = once(async (): Promise<StoredResources> => {
    const { StoredResources: Resources } = await import('./features/resources/stored-resources.ts');
    const { handles, tasks, browser } = services;
    const findStorage = (session?: string): string | undefined =>
      browser.session(session).ownStorageName;
    const call = { output: findReader(services, 'output'), task: findReader(services, 'task') };
    return new Resources({ handles, tasks, findStorage, call });
  });
  return {
    list: async (session) => (await load()).list(session),
    listTemplates: async () => (await load()).listTemplates(),
    read: async (...given) => (await load()).read(...given),
    complete: async (...given) => (await load()).complete(...given),
    watch: async (...given) => (await load()).watch(...given),
  };
};

/** Reads of resources are calls of a tool, so that its rules, the journal and limits apply. */
const findReader = (
  services: Services,
  kind: ResourceKind,
): ConstructorParameters<typeof StoredResources>[0]['call'][ResourceKind] => {
  const tool = services.tools.find(({ traits }) => traits.resource === kind);
  if (!tool) return undefined;
  return (args, { session, folder, signal }) =>
    runCall(services, {
      name: tool.name,
      arguments: args,
      ...defined({ session }),
      folder,
      signal,
    });
};

const createPromptRoom = ({ home, tools, workers }: Services): Engine['prompts'] => {
  const { load } = once(async (): Promise<RecipePrompts> => {
    const { RecipePrompts: Prompts } = await import('./features/recipe/recipe-prompts.ts');
    const tool = tools.find(({ traits }) => traits.runsPrompts);
    return new Prompts(home.recipes, tool?.name, workers);
  });
  return {
    list: async (...given) => (await load()).list(...given),
    render: async (...given) => (await load()).render(...given),
    complete: async (...given) => (await load()).complete(...given),
    watch: async (...given) => (await load()).watch(...given),
  };
};

/** Whether the owner's rules allow a crawl to read this URL without a question. */
const mayRead = (policy: ConsentPolicy, url: string, session: string): boolean =>
  policy
    .judge({ base: 'read', special: [], tool: 'crawl', session }, [url])
    .every(({ decision }) => decision === 'allow');

interface EngineOptions {
  /** Only with --cluster: the connected database. */
  readonly createCluster?: CreateCluster | undefined;
  readonly config: Config;
  readonly home: Home;
  readonly env?: NodeJS.ProcessEnv;
  /** Additional tools. */
  readonly tools?: readonly Tool[];
  /** Resolves host names for Chrome. Default: the system resolver. */
  readonly lookUp?: (name: string) => Promise<readonly LookupAddress[]>;
  /** When a take-over without input ends; for tests. */
  readonly takeOverIdleMs?: number;
  /** Replaces an IP address that Chrome may reach by another; for tests. */
  readonly route?: (address: string) => string;
}

const domainPolicy = (
  { allowDomains, blockDomains, allowPrivateNetwork }: Config,
  dashboards: DashboardPorts,
): DomainPolicy =>
  new DomainPolicy(
    defined({
      allow: allowDomains.length === 0 ? undefined : parseDomains(allowDomains, 'allowDomains'),
      block: parseDomains(blockDomains, 'blockDomains'),
      allowPrivateNetwork,
      ownAddresses,
      dashboardPorts: () => dashboards.list(),
    }),
  );

/** Read at each use: network interfaces change (VPN, containers). */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/** Throws for a name that no tool has: a typing error must not leave a tool enabled. */
const selectTools = (tools: readonly Tool[], disabled: readonly string[]): readonly Tool[] => {
  const names = tools.map(({ name }) => name);
  const unknown = disabled.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw fail('invalid_argument', `--disable-tools: there is no tool "${unknown}".`, {
      argument: 'disableTools',
    });
  return tools.filter(({ name }) => !disabled.includes(name));
};

const changesCertificates = (config: Config): boolean => {
  const { insecure, acceptCertificate, caCert, clientCert, clientKey, clientCertPassword } = config;
  const lists = [acceptCertificate, caCert, clientCert, clientKey, clientCertPassword];
  return insecure || lists.some((list) => list.length > 0);
};

const loadInitScripts = async ({ initScript }: Config): Promise<readonly InitScript[]> => {
  if (initScript.length === 0) return [];
  const { loadInitScript } = await import('./store/config/owner-files.ts');
  return Promise.all(initScript.map(loadInitScript));
};

/** The passwords of the proxies are hidden in all output. */
const loadUpstream = async (config: Config, redactor: Redactor): Promise<UpstreamRoutes> => {
  const [{ createUpstreamRoutes }, { loadPacFile }] = await Promise.all([
    import('./browser/guard/upstream-proxy.ts'),
    import('./browser/guard/pac-file.ts'),
  ]);
  const routes = await createUpstreamRoutes({ ...config, loadPac: loadPacFile });
  for (const password of routes.passwords) redactor.addSecret(password);
  return routes;
};

const loadTrust = async (
  config: Config,
  secrets: readonly Secret[],
  redactor: Redactor,
): Promise<CertificateTrust> => {
  const [{ CertificateTrust: Trust, parsePin, parseServer }, files, clientFiles] =
    await Promise.all([
      import('./browser/guard/certificate-trust.ts'),
      import('./store/config/owner-files.ts'),
      import('./store/config/owner-files.ts'),
    ]);
  const { insecure, acceptCertificate, caCert } = config;
  const [issuers, clients] = await Promise.all([
    files.loadIssuers(caCert),
    clientFiles.loadClientCertificates(config, secrets),
  ]);
  for (const { passphrase } of clients)
    if (passphrase !== undefined) redactor.addSecret(passphrase);
  const named = clients.map(({ server, ...client }) => ({ ...parseServer(server), ...client }));
  return new Trust(insecure, acceptCertificate.map(parsePin), issuers, named);
};

/** The URL of a database and its password must not appear in any output. */
const listUrlSecrets = (url: string): readonly string[] => {
  const { password } = new URL(url);
  return [url, password, decodeURIComponent(password)].filter((text) => text !== '');
};

export const createEngine = ({
  createCluster,
  config,
  home,
  env = process.env,
  tools: further = [],
  lookUp,
  route,
  takeOverIdleMs,
}: EngineOptions): Engine => {
  const tools = selectTools([...TOOLS, ...further], config.disableTools);
  const secrets = loadSecrets(config.secrets);
  // a PDF is read by two threads, and its text is cleaned by a third one
  const workers = new WorkerPool({ spareThreads: 1 });
  const scriptThreads = new WorkerPool({
    maxThreads: MAX_SCRIPTS,
    maxQueued: 64,
    idleMs: SCRIPT_IDLE_MS,
  });
  const redactor = createRedactor(
    secrets.map(({ value }) => value),
    workers,
  );
  for (const header of config.attachHeader)
    redactor.addSecret(header.slice(header.indexOf('=') + 1));
  for (const secret of config.cluster === undefined ? [] : listUrlSecrets(config.cluster))
    redactor.addSecret(secret);
  const log = createLog({ level: config.logLevel, redact: (text) => redactor.text(text) });
  const writer = createPayloadWriter(redactor);
  const journal = openJournal({ folder: home.journal, log, writer });
  const cluster = createCluster?.({ writer, log });
  const shared = cluster?.store;
  const handles = new Handles({
    payloads: shared?.payloads ?? new PayloadFiles(home.output),
    ttlMs: config.outputHandleTtlHours * 3_600_000,
    maxTotalBytes: config.outputStoreMaxBytes,
    sweepEveryMs: config.outputHandleSweepIntervalSeconds * 1000,
    log,
    workers,
    onCreated: (event) => journal.append({ ...event }),
  });
  const processes = createProcesses();
  const taskFolder = new TaskStore({ folder: home.tasks, processes, writer });
  const taskStore = shared?.tasks ?? taskFolder;
  const tasks = new Tasks({
    store: taskStore,
    owners: shared?.owners ?? new Owners(taskFolder, processes),
    cluster: cluster && {
      leases: cluster.store.leases,
      limits: cluster.limits,
      requireWorker: () => cluster.requireWorker(),
    },
    kinds: listTaskKinds(tools),
    call: (request) => runCall(services, request),
    writer,
    sanitise: (data) => (config.sanitizeContent ? sanitiseData(data, noFindings()) : data),
    sanitiseLarge: async (data) =>
      config.sanitizeContent ? sanitiseLargeData(data, noFindings(), {}, { workers }) : data,
    log,
  });
  const storeRules = [handles.retention, taskStore.retention];
  const cleanup = startCleanup({ config, home, log, storeRules });
  const dashboards = new DashboardPorts(home.run);
  const guard = new DomainGuard({
    policy: domainPolicy(config, dashboards),
    ...(config.proxy.length > 0 && { loadUpstream: () => loadUpstream(config, redactor) }),
    ...(changesCertificates(config) && { loadTrust: () => loadTrust(config, secrets, redactor) }),
    ...(lookUp && { lookUp }),
    ...(route && { route }),
  });
  guard.events.on('refused', ({ what, url, refusal: { reason, host, address }, tabId, times }) => {
    const where = defined({
      address,
      tabId,
      times: times > 1 ? times : undefined,
    });
    journal.append({
      ts: Date.now(),
      event: 'guard_refused',
      what,
      url: url.slice(0, 500),
      host,
      reason,
      ...where,
    });
  });
  const hosts = new Set<string>();
  const consentPolicy = new ConsentPolicy(listConsentRules(config), {
    readOnly: config.readOnly,
    tools: tools.map(({ name }) => name),
  });
  const waiting = once(async () => {
    const { Waiting } = await import('./features/consent/waiting.ts');
    return new Waiting({ home, log, journal });
  });
  const consent = once(async () => {
    const [{ Consent }, { ApprovalsFile }] = await Promise.all([
      import('./features/consent/consent.ts'),
      import('./store/consent/approvals-file.ts'),
    ]);
    return new Consent({
      policy: consentPolicy,
      waiting: await waiting.load(),
      approvals: new ApprovalsFile(home),
      record: (decision) => journal.append({ ts: Date.now(), event: 'approval', ...decision }),
    });
  });
  const { login } = config;
  const browser: Browser = new Browser({
    ...{ config, home, log, redactor, guard, hosts },
    loadInitScripts: () => loadInitScripts(config),
    loadPairing: async () => {
      const { openPairingFile } = await import('./store/config/key-files.ts');
      return openPairingFile(home.pairing).load();
    },
    gate: createEffectGate(consentPolicy, consent.load),
    onSession: (session) =>
      prepareWhenQuiet(session.traffic, { redactor, rehearse: () => rehearse(session) }),
    ...(login !== undefined && {
      onFirstTab: async (session, tab, signal) => {
        const { restoreNamedLogin } = await import('./features/session/saved-login.ts');
        const logins = new Logins(home.logins);
        await restoreNamedLogin({ browser, session, tab, logins, signal }, login);
      },
    }),
  });
  const rehearse = async (session: Session): Promise<void> => {
    for (const { traits, parse } of tools) if (traits.listsRequests) parse({}, (error) => error);
    const { rehearseListing } = await import('./features/network/rehearse-listing.ts');
    const { signal } = new AbortController();
    await rehearseListing({ browser, session, redactor, workers, signal });
  };
  const idle = new IdleTimer(config.chromeIdleSeconds * 1000, {
    isBusy: () => tasks.running > 0,
    onIdle: () => browser.closeIdle(),
  });
  const takeOver = once(async () => {
    const { TakeOver } = await import('./features/consent/take-over.ts');
    return new TakeOver({ browser, home, ...defined({ idleMs: takeOverIdleMs }) });
  });
  const secretHosts = new SecretHosts(home);
  let observer: Observer | undefined;
  const services: Services = {
    config,
    home,
    log,
    browser,
    journal,
    calls: new Events(),
    redactor,
    writer,
    secrets,
    secretHosts,
    consentPolicy,
    consent: consent.load,
    waiting: waiting.load,
    handles,
    tasks,
    workers,
    scriptThreads,
    call: (request) => runCall(services, { ...request, inner: true, wholeReply: true }),
    hosts,
    tools,
    ...defined({ turns: cluster?.turns, robots: shared?.robots }),
  };
  return {
    ...defined({ cluster }),
    work: async () => {
      if (!cluster) throw new Error('only a member of a cluster works for it');
      const { VisitLoader } = await import('./features/crawl/visit-loader.ts');
      const loader = new VisitLoader({
        ...services,
        mayRead: (url, session) => mayRead(consentPolicy, url, session),
      });
      await cluster.work({
        tasks,
        load: (visit) => loader.load(visit),
        stop: (taskId) => loader.stop(taskId),
      });
      loader.close();
    },
    config,
    log,
    tools,
    call: (request) => idle.during(() => runCall(services, request)),
    resources: createResourceRoom(services),
    prompts: createPromptRoom(services),
    tasks,
    waiting: waiting.load,
    takeOver: takeOver.load,
    replyWithResult: (task, fits) => replyWithResult(services, task, fits),
    health: () => browser.health(),
    calls: services.calls,
    announceDashboard: (port) => dashboards.add(port),
    observe: async () => {
      const { Observer } = await import('./features/observe/observer.ts');
      return (observer ??= new Observer(services));
    },
    prepareFirstCalls: async () => {
      // the client does not see other tools with --slim
      const listed = tools.filter(({ traits }) => !config.slim || traits.core === true);
      try {
        await Promise.all(listed.map(async ({ traits }) => traits.prepareFirstCall?.(services)));
      } catch (error) {
        log.defect(error); // the call itself reports what it cannot do
      }
    },
    listTabs: () => redactor.data(browser.summaries().map((tab) => withShortId(browser, tab))),
    admitHost: (name) => {
      hosts.add(name);
      return async () => {
        hosts.delete(name);
        const session = browser.sessions.find((candidate) => candidate.name === name);
        using deadline = new Deadline(END_SESSION_MS);
        if (session) await browser.closeSession(session, deadline.signal);
      };
    },
    stop: async () => {
      cleanup[Symbol.dispose]();
      await takeOver.loaded?.then((loaded) => loaded.stop());
      await waiting.loaded?.then((loaded) => loaded.stop());
      await cluster?.stop();
      await tasks.stop(fail('engine_stopped', 'The engine was stopped.'), { forGood: true });
      await cluster?.close();
      idle[Symbol.dispose]();
      if (env['OPENCHROME_TRACE_CDP'])
        process.stderr.write(`openchrome cdp methods: ${browser.methodsUsed.join(' ')}\n`);
      await browser.stop();
      await Promise.all([workers.close(), scriptThreads.close()]);
    },
  };
};
