// Memory of the server's own processes, and of all with Chrome, with 1 and with 20 tabs.
import { setTimeout as pause } from 'node:timers/promises';
import { memoryUsed } from '../lib/processes.mjs';
import { startSession } from '../lib/session.mjs';
import { collection, table } from '../lib/side-by-side.mjs';
import { mib, rotated } from '../lib/stats.mjs';

const SETTLE_MS = 1500;

const note = async (found, what, peer, session) => {
  await pause(SETTLE_MS);
  const { server, all } = memoryUsed(session.dir);
  if (peer.name !== 'raw CDP') found.note(`${what}, server`, peer, server);
  found.note(`${what}, with Chrome`, peer, all);
};

export const peersMemory = async ({ site, reps, isQuick, peers: everybody, log }) => {
  const peers = everybody.filter(({ only }) => !only);
  const found = collection();
  for (let rep = 0; rep < (isQuick ? 1 : Math.min(reps, 3)); rep++) {
    for (const peer of rotated(peers, rep)) {
      const session = await startSession(peer);
      try {
        await peer.open(session, `${site.origin}/article`);
        await peer.snapshot(session);
        await note(found, '1 tab', peer, session);
        for (let i = 1; i < 20; i++) {
          const { isError, text } = await peer.newTab(session, `${site.origin}/chapters/${i}`);
          if (isError) throw new Error(text);
        }
        await note(found, '20 tabs', peer, session);
      } catch (error) {
        found.failed('20 tabs, with Chrome', peer, error);
      }
      await session.end();
      log(`memory ${rep + 1}, ${peer.name}`);
    }
  }
  const told = (value) => (typeof value === 'number' ? mib(value) : (value ?? '–'));
  const rows = found
    .things()
    .map((what) => [what, ...peers.map((peer) => told(found.of(what, peer)))]);
  return table(
    'Memory',
    'Own memory and a share of what is shared (PSS without files).',
    peers,
    rows,
  );
};
