// What a verification stands on: the build, a home folder of its own, a site on loopback.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Another build can be verified too. */
export const DIST =
  process.env.OPENCHROME_VERIFY_SERVER ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));

export const newHome = () => mkdtempSync(path.join(tmpdir(), 'openchrome-verify-'));
export const removeHome = (home) =>
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

export const startSite = async (answer) => {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${server.address().port}`;
  return {
    host,
    origin: `http://${host}`,
    close: () => (server.closeAllConnections(), server.close()),
  };
};
