// The real engine with the counting tool beside the usual ones, as a process: MCP on stdio, or with
// --http over HTTP.
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { serveHttp } from '../../src/frontends/mcp/http/server.ts';
import { serveStdio } from '../../src/frontends/mcp/stdio.ts';
import { counts } from './counts-tool.ts';

const config = resolveConfig({ flags: process.argv.slice(2), env: process.env });
const engine = createEngine({ config, home: resolveHome(), tools: [counts] });
const ended = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
if (config.http === undefined) {
  await Promise.race([serveStdio(engine), ended.then(() => engine.stop())]);
} else {
  const server = await serveHttp(engine);
  await ended;
  await server.close();
  await engine.stop();
}
process.exit(0);
