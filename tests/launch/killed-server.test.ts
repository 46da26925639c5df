// A server that is killed takes its Chrome along, whatever the page is doing.
import { describe, expect, it } from 'vitest';
import { makeHome, processes, startServer, until, useServers } from './support.ts';

useServers();

const LIMIT_MS = 5000;

describe('when the server is killed with SIGKILL', () => {
  it.each(['idle', 'page', 'hung page', 'open dialog', 'refusal to leave'])(
    'its Chrome ends too (%s)',
    async (scenario) => {
      const home = makeHome();
      const server = startServer(home, scenario);
      const { pid } = JSON.parse(await server.line()) as { pid: number };
      const left = (): number[] => processes({ leader: pid, word: home.root });
      expect(left().length).toBeGreaterThan(1);
      await server.kill();
      expect(await until(() => left().length === 0, LIMIT_MS)).toBe(true);
    },
  );

  it('its Chrome ends too if it was just starting', async () => {
    for (const waitFor of [1, 3, 5]) {
      const home = makeHome();
      const server = startServer(home, 'idle');
      let isReady = false;
      void server.line().then(() => (isReady = true));
      // The more processes Chrome has, the further it has come; the headless shell has few.
      await until(() => isReady || processes({ word: home.root }).length >= waitFor, 5000);
      await server.kill();
      expect(await until(() => processes({ word: home.root }).length === 0, LIMIT_MS)).toBe(true);
    }
  });
});
