// The fixture engine as a process of its own, started like the real binary: MCP on stdio, or with --http over HTTP.
import { resolveConfig } from '../../src/core/config.ts';
import { Failure } from '../../src/core/failure.ts';
import { createFixtureEngine } from './fixture-engine.ts';

const main = async (): Promise<void> => {
  const config = resolveConfig({ flags: process.argv.slice(2) });
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
