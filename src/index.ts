// The `openchrome` binary: runs a command, or serves MCP on stdio or (--http PORT) over HTTP.
import nodeModule from 'node:module';
import { join } from 'node:path';
import { compact } from './core/defined.ts';
import type { Config, Settings } from './core/config.ts';
import { Failure } from './core/failure.ts';
import { resolveHome } from './core/home.ts';
import { textIf } from './core/text.ts';
import type { CreateCluster } from './features/cluster/cluster.ts';
import type { Wiring } from './frontends/cli/wiring.ts';
import type { LateEngine } from './frontends/mcp/early-methods.ts';
import type { Continuation } from './frontends/supervise.ts';
import type { Engine } from './pipeline/engine.ts';
import type { ClusterMember } from './store/cluster/cluster-store.ts';

const argv = process.argv.slice(2);

/**
 * Hosts wait for the start of the server: it must not load modules of the command line. Only a word
 * after flags needs them: it can be a command, or the value of a flag.
 */
const isServing = async (args: readonly string[]): Promise<boolean> => {
  const [first] = args;
  if (args.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg))) return false;
  if (first === undefined || first === 'serve') return true;
  if (!first.startsWith('-')) return false;
  if (args.every((arg) => arg.startsWith('-'))) return true;
  const { hasCommand } = await import('./frontends/cli/leading-flags.ts');
  return !hasCommand(args);
};

/** Imports on demand: a command that uses a running daemon needs no configuration. */
const loadSettings = async (flags: readonly string[]): Promise<Settings> => {
  const [{ resolveSettings }, { readConfigFiles }] = await Promise.all([
    import('./core/config.ts'),
    import('./store/config/config-file.ts'),
  ]);
  return resolveSettings({
    flags,
    env: process.env,
    ...(await readConfigFiles({ home: resolveHome().root })),
  });
};

const loadConfig = async (flags: readonly string[]): Promise<Config> =>
  (await loadSettings(flags)).config;

/** Loads the database code only with --cluster. */
const loadCluster = async (
  config: Config,
  role: 'gateway' | 'worker',
): Promise<CreateCluster | undefined> => {
  if (config.cluster === undefined) return undefined;
  process.title = `openchrome ${role}`; // hides the flags, which contain the URL
  const { connectCluster } = await import('./features/cluster/cluster.ts');
  return connectCluster(config, role);
};

/** Loads the engine of a long-lived process: its memory is released between calls. */
const loadEngine = async (given: Config): Promise<(config: Config) => Engine> => {
  const [{ createEngine }, { IdleMemory }, createCluster] = await Promise.all([
    import('./app.ts'),
    import('./core/idle-memory.ts'),
    loadCluster(given, 'gateway'),
  ]);
  return (config) => {
    const engine = createEngine({ config, home: resolveHome(), createCluster });
    engine.cluster?.join();
    const memory = new IdleMemory();
    return { ...engine, call: (request) => memory.during(() => engine.call(request)) };
  };
};

/** Printed if stdin is a terminal: a person started the server by hand. */
const ABOUT_STDIO =
  'Serving MCP on stdin and stdout, as a host would start it. Ctrl+C ends it; "openchrome ' +
  '--help" shows what else there is.\n';

const serve = async (flags: readonly string[]): Promise<void> => {
  const settings = await loadSettings(flags);
  const { config } = settings;
  if (config.shared) return serveShared(settings);
  const crashed = await serveConfigured(config);
  if (!crashed) process.exit(0);
  const { restart } = await import('./frontends/supervise.ts');
  await restart(crashed);
};

/** Returns how to restart the program after a crash, or undefined if the client disconnected. */
const serveConfigured = async (config: Config): Promise<Continuation | undefined> => {
  const [{ createLateEngine, mayLoadLater }, { watchDefects }] = await Promise.all([
    import('./frontends/mcp/early-methods.ts'),
    import('./frontends/defects.ts'),
  ]);
  const load = async (): Promise<Engine> => (await loadEngine(config))(config);
  const engine = mayLoadLater(config) ? createLateEngine(config, load) : await load();
  const defects = watchDefects(engine.log);
  const crashed = await ('methods' in engine || config.http === undefined
    ? serveOnStdio(engine, defects.signal)
    : serveOnHttp(engine, defects.signal));
  defects.release();
  return crashed;
};

const serveOnStdio = async (
  engine: Engine | LateEngine,
  crash: AbortSignal,
): Promise<Continuation | undefined> => {
  if (process.stdin.isTTY) process.stderr.write(ABOUT_STDIO);
  const { serveMethods, serveStdio } = await import('./frontends/mcp/stdio.ts');
  endOnSignal(() => engine.stop());
  // Loaded only in a supervised process, so that others start faster.
  const supervision = process.connected ? await import('./frontends/supervise.ts') : undefined;
  supervision?.onSupervisorGone(() => void engine.stop().finally(() => process.exit(0)));
  const streams = { crash, before: await supervision?.receiveHandover() };
  const rest = await ('methods' in engine
    ? serveMethods(engine.methods, engine, streams)
    : serveStdio(engine, streams));
  return rest && { rest };
};

const serveOnHttp = async (engine: Engine, crash: AbortSignal): Promise<Continuation> => {
  const { serveHttp } = await import('./frontends/mcp/http/server.ts');
  const { onSupervisorGone } = await import('./frontends/supervise.ts');
  const server = await serveHttp(engine, {
    onDashboard: ({ firstTicket }, origin) =>
      process.stderr.write(
        `openchrome dashboard at ${origin}/?ticket=${firstTicket} (works once)\n`,
      ),
  });
  const stop = async (reason?: Failure): Promise<void> => {
    await server.close(reason);
    await engine.stop();
  };
  endOnSignal(() => stop());
  onSupervisorGone(() => void stop().finally(() => process.exit(0)));
  await new Promise((crashed) => crash.addEventListener('abort', crashed));
  await stop(crash.reason as Failure);
  // The next process must listen on the same port, also if it was chosen freely.
  return { args: ['--http', String(server.port)] };
};

/** MCP on stdio without an engine: uses the daemon's, which several hosts share. */
const serveShared = async (settings: Settings): Promise<void> => {
  const { serveShared: serveBridge } = await import('./frontends/mcp/shared.ts');
  await serveBridge({ settings, home: resolveHome() });
  process.exit(0);
};

const requireCluster = (config: Config): void => {
  if (config.cluster === undefined)
    throw new Failure('invalid_argument', 'This command needs --cluster or OPENCHROME_CLUSTER.', {
      argument: 'cluster',
    });
};

const work = async (flags: readonly string[]): Promise<void> => {
  const config = await loadConfig(flags);
  requireCluster(config);
  const [{ createEngine }, createCluster] = await Promise.all([
    import('./app.ts'),
    loadCluster(config, 'worker'),
  ]);
  const engine = createEngine({ config, home: resolveHome(), createCluster });
  const { watchDefects } = await import('./frontends/defects.ts');
  const defects = watchDefects(engine.log);
  endOnSignal(() => engine.stop());
  defects.signal.addEventListener('abort', () => void engine.stop().finally(() => process.exit(1)));
  process.stderr.write(`openchrome worker with ${config.slots} slots\n`);
  await engine.work?.();
};

const listWorkers = async (flags: readonly string[]): Promise<readonly ClusterMember[]> => {
  const config = await loadConfig(flags);
  requireCluster(config);
  const { withCluster } = await import('./app.ts');
  return withCluster(await loadCluster(config, 'gateway'), config, (cluster) => cluster.workers());
};

const followInCluster: Wiring['followInCluster'] = async (taskId, file) => {
  const config = await loadConfig([]);
  const createCluster = await loadCluster(config, 'gateway');
  if (!createCluster) return undefined;
  const { openCluster } = await import('./app.ts');
  const cluster = openCluster(createCluster, config);
  const entries = cluster.store.follow(taskId, file);
  return {
    readNew: () => entries.readNew(),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
};

const runDaemon = async (): Promise<void> => {
  const { serveDaemon } = await import('./frontends/cli/daemon/serve.ts');
  const { createProcesses } = await import('./system/process-identity.ts');
  await serveDaemon({
    home: resolveHome(),
    own: createProcesses().own,
    loadEngine,
  });
  process.exit(0);
};

/** The first signal shuts down in order, the second one exits at once. */
const endOnSignal = (stop: () => Promise<void>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void stop().finally(() => process.exit(0));
    });
  }
};

/**
 * Each function loads its modules on its first call: a command that only calls the daemon loads no
 * others.
 */
const wireCli = (): Wiring => {
  const home = resolveHome();
  const app = async () => (await import('./app.ts')).wireCli({ loadConfig, loadCluster }, home);
  const session = process.env['OPENCHROME_SESSION'];
  return {
    home,
    ...compact({ session }),
    loadConfig,
    loadSettings,
    serve,
    work,
    listWorkers,
    followInCluster,
    runDoctor: async (...args) => (await app()).runDoctor(...args),
    parseAddress: async (text) => (await import('./policy/address.ts')).parseAddress(text),
    recordLogin: async (options) => (await app()).recordLogin(options),
    checkLogin: async (...options) => (await app()).checkLogin(...options),
    installBrowser: async (...args) => (await app()).installBrowser(...args),
    callStored: async (call) => (await app()).callStored(call),
    openWaiting: async () => (await app()).openWaiting(),
    connect: async (options) => {
      const { connectDaemon } = await import('./frontends/cli/client.ts');
      return connectDaemon({
        ...options,
        home,
        mayHaveFlags: options.flags.length > 0,
        settings: () => loadSettings(options.flags),
      });
    },
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
    async *readLines() {
      const { createInterface } = await import('node:readline');
      yield* createInterface({ input: process.stdin, crlfDelay: Infinity });
    },
  };
};

/** Node 22.8 and later keep compiled code on disk: the next start is faster. */
const enableCompileCache = (): void => {
  const { enableCompileCache: enable } = nodeModule as {
    readonly enableCompileCache?: (folder: string) => unknown;
  };
  enable?.(join(resolveHome().root, 'cache', 'compiled'));
};

const main = async (): Promise<void> => {
  enableCompileCache();
  if (await isServing(argv)) return serve(argv[0] === 'serve' ? argv.slice(1) : argv);
  if (argv[0] === 'daemon' && argv[1] === 'run' && process.connected) return runDaemon();
  // Loaded in parallel, because nearly every command calls the daemon.
  const [{ runCli }] = await Promise.all([
    import('./frontends/cli/index.ts'),
    import('./frontends/cli/client.ts'),
  ]);
  process.exitCode = await runCli(argv, wireCli());
};

/** A sentence on a terminal, otherwise the failure as JSON. */
const formatFailure = (failure: Failure): string => {
  const { message, hint } = failure.toJSON().error;
  return process.stderr.isTTY
    ? `error: ${message}${textIf(hint !== undefined, `\n  ${hint}`)}`
    : JSON.stringify(failure);
};

main().catch((error: unknown) => {
  const failure = error instanceof Failure ? error : undefined;
  process.stderr.write(
    `${failure ? formatFailure(failure) : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(failure?.kind.exit ?? 1);
});
