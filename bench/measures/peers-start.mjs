// From spawn to the tool list, and from spawn to the first page read, of every server in turn.
import { startSession } from '../lib/session.mjs';
import { collection, table, timeRows } from '../lib/side-by-side.mjs';
import { rotated } from '../lib/stats.mjs';

const READ = 'spawn to first page read';

const startOnce = async (peer, site) => {
  const session = await startSession(peer);
  try {
    const { ms, value } = await session.cost(async () => {
      await peer.open(session, `${site.origin}/article`);
      return peer.snapshot(session);
    });
    if (!value.outline && !/metal/i.test(value.text)) throw new Error(`not read: ${value.text}`);
    return { list: session.readyMs, read: session.readyMs + ms };
  } finally {
    await session.end();
  }
};

export const peersStart = async ({ site, reps, peers: all, log }) => {
  const peers = all.filter(({ only }) => !only);
  const found = collection();
  // The first time warms the disk's cache.
  for (let rep = -1; rep < reps; rep++) {
    for (const peer of rotated(peers, rep + 1)) {
      try {
        const { list, read } = await startOnce(peer, site);
        if (rep < 0) continue;
        if (peer.command) found.note('spawn to tools/list', peer, list);
        found.note(READ, peer, read);
      } catch (error) {
        found.failed(READ, peer, error);
      }
    }
    log(`start ${rep + 1}/${reps}`);
  }
  return table('Cold start', 'From spawn, as the client waits.', peers, timeRows(found, peers));
};
