// The fixture engine as a process of its own, started like the real binary: MCP on stdio, over
// HTTP, as a daemon, or through one.
import { createProcesses } from '../../src/system/process-identity.ts';
import { resolveSettings } from '../../src/core/config.ts';
import { Failure } from '../../src/core/failure.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createFixtureEngine } from './fixture-engine.ts';

const runDaemon = async (): Promise<void> => {
  const { serveDaemon } = await import('../../src/frontends/cli/daemon/serve.ts');
  await serveDaemon({
    home: resolveHome(),
    own: createProcesses().own,
    loadEngine: async () => createFixtureEngine,
  });
  process.exit(0);
};

const main = async (): Promise<void> => {
  const flags = process.argv.slice(2);
  if (flags[0] === 'daemon') return runDaemon();
  const settings = resolveSettings({ flags });
  const { config } = settings;
  if (config.shared) {
    const { serveShared } = await import('../../src/frontends/mcp/shared.ts');
    await serveShared({ settings, home: resolveHome() });
    process.exit(0);
  }
  const engine = createFixtureEngine(config, () => process.stderr.write('engine stopped\n'));
  if (config.http === undefined) {
    const { serveStdio } = await import('../../src/frontends/mcp/stdio.ts');
    await serveStdio(engine);
  } else {
    const { serveHttp } = await import('../../src/frontends/mcp/http/server.ts');
    const server = await serveHttp(engine);
    await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
    await server.close();
    await engine.stop();
  }
  process.exit(0);
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Failure ? JSON.stringify(error) : String(error)}\n`);
  process.exit(error instanceof Failure ? error.kind.exit : 1);
});
