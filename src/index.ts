// The `openchrome` binary: picks a frontend. Without a command it serves MCP, on stdio or (--http PORT) over HTTP.
import { setFlagsFromString } from 'node:v8';
import { resolveConfig, type Config } from './core/config.ts';
import { Failure } from './core/failure.ts';
import { resolveHome } from './core/home.ts';
import { after } from './core/time.ts';
import { readConfigFile } from './store/config-file.ts';

const argv = process.argv.slice(2);

/** Serving is what hosts wait for: it must not load what only the command line needs. */
const isServing = (args: readonly string[]): boolean => {
  const [first] = args;
  const asksForHelp = args.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg));
  return !asksForHelp && (first === undefined || first === 'serve' || first.startsWith('--'));
};

const loadConfig = async (flags: readonly string[]): Promise<Config> => {
  const file = await readConfigFile({ home: resolveHome().root });
  return resolveConfig({ flags, env: process.env, ...(file ? { file } : {}) });
};

/** While the server starts its heap only grows, and collecting it would cost time. */
const STARTED_MS = 100;

const serve = async (flags: readonly string[]): Promise<void> => {
  // What a call makes is garbage when it is answered: a small space for it costs no time and saves some 40 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  const config = await loadConfig(flags);
  const { createEngine } = await import('./app.ts');
  const engine = createEngine({ config, home: resolveHome() });
  // A heap of this size is collected in a few milliseconds: often is cheap, and memory stays where it was after the first calls.
  after(STARTED_MS, () => setFlagsFromString('--heap-growing-percent=15'));
  process.on('uncaughtException', (error) => engine.log.defect(error));
  process.on('unhandledRejection', (error) => engine.log.defect(error));
  if (config.http === undefined) {
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

/** The first signal ends in an orderly way, the second at once. */
const endOnSignal = (stop: () => Promise<void>): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void stop().finally(() => process.exit(0));
    });
  }
};

const main = async (): Promise<void> => {
  if (isServing(argv)) return serve(argv[0] === 'serve' ? argv.slice(1) : argv);
  const { runCli } = await import('./frontends/cli/index.ts');
  const { wireCli } = await import('./app.ts');
  process.exitCode = await runCli(argv, wireCli({ loadConfig, serve }, resolveHome()));
};

main().catch((error: unknown) => {
  const failure = error instanceof Failure ? error : undefined;
  process.stderr.write(`${failure ? JSON.stringify(failure.toJSON()) : String(error instanceof Error ? error.stack : error)}\n`);
  process.exit(failure?.kind.exit ?? 1);
});
