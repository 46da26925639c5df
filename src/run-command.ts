// Runs a command, or the daemon.
import { compact } from './core/defined.ts';
import type { Config } from './core/config.ts';
import { Failure } from './core/failure.ts';
import { resolveHome } from './core/home.ts';
import type { Wiring } from './frontends/cli/wiring.ts';
import {
  endOnSignal,
  loadCluster,
  loadConfig,
  loadEngine,
  loadSettings,
  runOrReport,
} from './start-parts.ts';
import type { ClusterMember } from './store/cluster/cluster-store.ts';

export const run = (args: readonly string[]): void =>
  runOrReport(async () => {
    if (args[0] === 'daemon' && args[1] === 'run' && process.connected) return runDaemon();
    // Loaded in parallel, because nearly every command calls the daemon.
    const [{ runCli }] = await Promise.all([
      import('./frontends/cli/index.ts'),
      import('./frontends/cli/client.ts'),
    ]);
    process.exitCode = await runCli(args, wireCli());
  });

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
    serve: async (flags) => (await import('./serve-mcp.ts')).serve(flags),
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
