// Serves MCP on stdio or (--http PORT) over HTTP. Its imports without await, and theirs, are what a
// server loads before its first reply.
import readSettings from 'plain-settings';
import type { Config, Settings } from './core/config.ts';
import type { Failure } from './core/failure.ts';
import type { Log } from './core/log.ts';
import { resolveHome } from './core/home.ts';
import { findPlainConfig } from './core/plain-config.ts';
import { watchDefects } from './frontends/defects.ts';
import { createLazyEngine, type LazyEngine, mayLoadLater } from './frontends/mcp/early-methods.ts';
import { serveMethods, serveStdio } from './frontends/mcp/stdio.ts';
import type { Continuation } from './frontends/supervise.ts';
import type { Engine } from './pipeline/engine.ts';
import { endOnSignal, loadEngine, loadSettings, runOrReport } from './start-parts.ts';
import { hasConfigFile } from './store/config/config-file.ts';

/** A word after flags can be the value of a flag, or a command, which `runCommand` runs. */
export const run = (args: readonly string[], runCommand: () => Promise<void>): void =>
  runOrReport(async () => {
    const flags = args[0] === 'serve' ? args.slice(1) : args;
    const plain = findConfig(flags);
    if (plain) return serveUntilGone(plain);
    if (flags === args && (await isCommand(args))) return runCommand();
    return serve(flags);
  });

const isCommand = async (args: readonly string[]): Promise<boolean> => {
  if (args.every((arg) => arg.startsWith('-'))) return false;
  const { hasCommand } = await import('./frontends/cli/leading-flags.ts');
  return hasCommand(args);
};

export const serve = async (flags: readonly string[]): Promise<void> => {
  const settings = await loadSettings(flags);
  return settings.config.shared ? serveShared(settings) : serveUntilGone(settings.config);
};

/** Printed if stdin is a terminal: a person started the server by hand. */
const ABOUT_STDIO =
  'Serving MCP on stdin and stdout, as a host would start it. Ctrl+C ends it; "openchrome ' +
  '--help" shows what else there is.\n';

/** Undefined if the settings must be checked, or the daemon serves. */
const findConfig = (flags: readonly string[]): Config | undefined => {
  const config = hasConfigFile({ home: resolveHome().root })
    ? undefined
    : findPlainConfig(readSettings(), flags, process.env);
  return config?.shared ? undefined : config;
};

const serveUntilGone = async (config: Config): Promise<void> => {
  const crashed = await serveConfigured(config);
  if (!crashed) process.exit(0);
  const { restart } = await import('./frontends/supervise.ts');
  await restart(crashed);
};

/** Returns how to restart the program after a crash, or undefined if the client disconnected. */
const serveConfigured = async (config: Config): Promise<Continuation | undefined> => {
  const load = async (): Promise<Engine> => (await loadEngine(config))(config);
  const parts = { loadEngine: load, startCleanup: (log: Log) => startCleanup(config, log) };
  const engine = mayLoadLater(config) ? createLazyEngine(config, parts) : await load();
  const defects = watchDefects(engine.log);
  const crashed = await ('methods' in engine || config.http === undefined
    ? serveOnStdio(engine, defects.signal)
    : serveOnHttp(engine, defects.signal));
  defects.release();
  return crashed;
};

const startCleanup = async (config: Config, log: Log): Promise<Disposable> => {
  const { startCleanup: start } = await import('./features/cleanup/cleanup.ts');
  return start({ config, home: resolveHome(), log });
};

const serveOnStdio = async (
  engine: Engine | LazyEngine,
  crash: AbortSignal,
): Promise<Continuation | undefined> => {
  if (process.stdin.isTTY) process.stderr.write(ABOUT_STDIO);
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
