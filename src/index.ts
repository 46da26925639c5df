// The `openchrome` binary: picks a frontend. Without a command it serves MCP, on stdio or (--http PORT) over HTTP.
import { setFlagsFromString } from 'node:v8';
import type { Config, Settings } from './core/config.ts';
import { Failure } from './core/failure.ts';
import { resolveHome } from './core/home.ts';
import { after } from './core/time.ts';
import type { Wiring } from './frontends/cli/wiring.ts';
import type { Engine } from './pipeline/engine.ts';

const argv = process.argv.slice(2);

/** Serving is what hosts wait for: it must not load what only the command line needs. */
const isServing = (args: readonly string[]): boolean => {
  const [first] = args;
  const asksForHelp = args.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg));
  return !asksForHelp && (first === undefined || first === 'serve' || first.startsWith('--'));
};

/** Imports on demand: a command that finds its daemon running needs no configuration. */
const loadSettings = async (flags: readonly string[]): Promise<Settings> => {
  const [{ resolveSettings }, { readConfigFiles }] = await Promise.all([import('./core/config.ts'), import('./store/config-file.ts')]);
  return resolveSettings({ flags, env: process.env, ...(await readConfigFiles({ home: resolveHome().root })) });
};

const loadConfig = async (flags: readonly string[]): Promise<Config> => (await loadSettings(flags)).config;

/** While the server starts its heap only grows, and collecting it would cost time. */
const STARTED_MS = 100;

/** The engine in a process that lasts: kept small. */
const loadEngine = async (): Promise<(config: Config) => Engine> => {
  // What a call makes is garbage when it is answered: a small space for it costs no time and saves some 40 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { createEngine } = await import('./app.ts');
  // A heap of this size is collected in a few milliseconds: often is cheap, and memory stays where it was after the first calls.
  after(STARTED_MS, () => setFlagsFromString('--heap-growing-percent=15'));
  return (config) => createEngine({ config, home: resolveHome() });
};

/** Somebody typed the name to see what happens. */
const ABOUT_STDIO =
  'Serving MCP on stdin and stdout, as a host would start it. Ctrl+C ends it; "openchrome --help" shows what else there is.\n';

const serve = async (flags: readonly string[]): Promise<void> => {
  const settings = await loadSettings(flags);
  const { config } = settings;
  if (config.shared) return serveShared(settings);
  const engine = (await loadEngine())(config);
  process.on('uncaughtException', (error) => engine.log.defect(error));
  process.on('unhandledRejection', (error) => engine.log.defect(error));
  if (config.http === undefined) {
    if (process.stdin.isTTY) process.stderr.write(ABOUT_STDIO);
    const { serveStdio } = await import('./frontends/mcp/stdio.ts');
    endOnSignal(() => engine.stop());
    await serveStdio(engine);
  } else {
    const { serveHttp } = await import('./frontends/mcp/http/server.ts');
    const server = await serveHttp(engine);
    await new Promise<void>((resolve) => {
      endOnSignal(async () => {
        await server.close();
        await engine.stop();
        resolve();
      });
    });
  }
  process.exit(0);
};

/** MCP on stdio with no engine of its own: the daemon's, which several hosts share. */
const serveShared = async (settings: Settings): Promise<void> => {
  const { serveShared: serveBridge } = await import('./frontends/mcp/shared.ts');
  await serveBridge({ settings, home: resolveHome() });
  process.exit(0);
};

const runDaemon = async (): Promise<void> => {
  const { serveDaemon } = await import('./frontends/cli/daemon/serve.ts');
  const { createProcesses } = await import('./work/processes.ts');
  await serveDaemon({ home: resolveHome(), own: createProcesses().own, createEngine: await loadEngine() });
  process.exit(0);
};

/** The first signal ends in an orderly way, the second at once. */
const endOnSignal = (stop: () => Promise<void>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void stop().finally(() => process.exit(0));
    });
  }
};

/** Each part loads what it needs when it is asked for: a command that only asks the daemon is over before the rest were read. */
const wireCli = (): Wiring => {
  const home = resolveHome();
  const app = async () => (await import('./app.ts')).wireCli({ loadConfig }, home);
  const session = process.env['OPENCHROME_SESSION'];
  return {
    home,
    ...(session ? { session } : {}),
    loadConfig,
    loadSettings,
    serve,
    runDoctor: async (...args) => (await app()).runDoctor(...args),
    installBrowser: async (...args) => (await app()).installBrowser(...args),
    callStored: async (call) => (await app()).callStored(call),
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
  };
};

const main = async (): Promise<void> => {
  if (isServing(argv)) return serve(argv[0] === 'serve' ? argv.slice(1) : argv);
  if (argv[0] === 'daemon' && argv[1] === 'run' && process.connected) return runDaemon();
  // Read at the same time, because nearly every command asks the daemon.
  const [{ runCli }] = await Promise.all([import('./frontends/cli/index.ts'), import('./frontends/cli/client.ts')]);
  process.exitCode = await runCli(argv, wireCli());
};

/** A sentence for people, the whole of it for programs. */
const told = (failure: Failure): string => {
  const { message, hint } = failure.toJSON().error;
  return process.stderr.isTTY ? `error: ${message}${hint === undefined ? '' : `\n  ${hint}`}` : JSON.stringify(failure);
};

main().catch((error: unknown) => {
  const failure = error instanceof Failure ? error : undefined;
  process.stderr.write(`${failure ? told(failure) : String(error instanceof Error ? error.stack : error)}\n`);
  process.exit(failure?.kind.exit ?? 1);
});
