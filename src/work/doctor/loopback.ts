// Can we listen, on loopback and where we are configured to?
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Check } from './check.ts';

const tryToListen = async (host: string, port: number): Promise<void> => {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

export const loopbackCheck: Check = {
  id: 'ports',
  run: async ({ config }) => {
    const places = [['127.0.0.1', 0], ...(config.http === undefined ? [] : [[config.host, config.http]])] as [string, number][];
    for (const [host, port] of places) {
      try {
        await tryToListen(host, port);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const taken = code === 'EADDRINUSE';
        return {
          status: 'fail',
          message: `${host}:${port} cannot be listened on: ${taken ? 'another process does so already' : message}`,
          fix: taken
            ? 'Choose another port with --http, or --http 0 for any free one.'
            : 'Allow local connections for Node in the firewall.',
        };
      }
    }
    return { status: 'ok', message: `can listen on ${places.map(([host, port]) => (port ? `${host}:${port}` : host)).join(' and ')}` };
  },
};
