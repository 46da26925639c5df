// Shared by servers and commands, and loaded before all other parts: settings, the engine, signals and
// failures of the start.
import type { Config, Settings } from './core/config.ts';
import { Failure } from './core/failure.ts';
import { resolveHome } from './core/home.ts';
import { textIf } from './core/text.ts';
import type { CreateCluster } from './features/cluster/cluster.ts';
import type { Engine } from './pipeline/engine.ts';
import { readConfigFiles } from './store/config/config-file.ts';

/** Imports on demand: a command that uses a running daemon needs no configuration. */
export const loadSettings = async (flags: readonly string[]): Promise<Settings> => {
  const { resolveSettings } = await import('./core/config.ts');
  return resolveSettings({
    flags,
    env: process.env,
    ...(await readConfigFiles({ home: resolveHome().root })),
  });
};

export const loadConfig = async (flags: readonly string[]): Promise<Config> =>
  (await loadSettings(flags)).config;

/** Loads the database code only with --cluster. */
export const loadCluster = async (
  config: Config,
  role: 'gateway' | 'worker',
): Promise<CreateCluster | undefined> => {
  if (config.cluster === undefined) return undefined;
  process.title = `openchrome ${role}`; // hides the flags, which contain the URL
  const { connectCluster } = await import('./features/cluster/cluster.ts');
  return connectCluster(config, role);
};

/**
 * Loads the engine of a long-lived process: between calls its memory is released, and later calls
 * are prepared once.
 */
export const loadEngine = async (given: Config): Promise<(config: Config) => Engine> => {
  const [{ createEngine }, { IdleMemory }, { IdlePreparation }, createCluster] = await Promise.all([
    import('./app.ts'),
    import('./core/idle-memory.ts'),
    import('./core/idle-preparation.ts'),
    loadCluster(given, 'gateway'),
  ]);
  return (config) => {
    const engine = createEngine({ config, home: resolveHome(), createCluster });
    engine.cluster?.join();
    const memory = new IdleMemory();
    let hasAgent = false;
    const preparation = new IdlePreparation({
      isDue: () => hasAgent && engine.health().state === 'running' && engine.tasks.running === 0,
      prepare: () => void engine.prepareFirstCalls?.(),
    });
    return {
      ...engine,
      call: (request) => {
        hasAgent ||= request.shell === undefined; // commands rarely run scripts
        return memory.during(() => preparation.during(() => engine.call(request)));
      },
      stop: () => {
        preparation[Symbol.dispose]();
        return engine.stop();
      },
    };
  };
};

/** The first signal shuts down in order, the second one exits at once. */
export const endOnSignal = (stop: () => Promise<void>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void stop().finally(() => process.exit(0));
    });
  }
};

/** A sentence on a terminal, otherwise the failure as JSON. */
const formatFailure = (failure: Failure): string => {
  const { message, hint } = failure.toJSON().error;
  return process.stderr.isTTY
    ? `error: ${message}${textIf(hint !== undefined, `\n  ${hint}`)}`
    : JSON.stringify(failure);
};

/** Reports a failure of the start on stderr and ends the process with its status. */
export const runOrReport = (start: () => Promise<void>): void => {
  start().catch((error: unknown) => {
    const failure = error instanceof Failure ? error : undefined;
    process.stderr.write(
      `${failure ? formatFailure(failure) : String(error instanceof Error ? error.stack : error)}\n`,
    );
    process.exit(failure?.kind.exit ?? 1);
  });
};
