// How long single operations take, and whether they happened: the page counts real clicks, and its
// field is read in the end.
import { setTimeout as pause } from 'node:timers/promises';
import { startSession } from '../lib/session.mjs';
import { collection, table, timeOf, timeRows } from '../lib/side-by-side.mjs';
import { rotated } from '../lib/stats.mjs';

const SETTLE_MS = 300;
const BUTTON = { role: 'button', name: 'Count', selector: '#count' };
const BOX = { role: 'textbox', name: 'Name', selector: '#name' };
const APPROVE = { role: 'button', name: 'Approve 5003', selector: '[data-id="5003"]' };
const IN_TABLE = 'click, page of 16,000 elements';

/** How a server names the elements: of one snapshot, as a model would have them. */
const refsOf = async ({ peer, session }, wanted) => {
  if (peer.find) return Promise.all(wanted.map((one) => peer.find(session, one)));
  const elements = peer.parse((await peer.snapshot(session)).text);
  return wanted.map(
    ({ role, name }) =>
      elements.find((element) => element.role === role && element.name === name)?.ref,
  );
};

/** The servers in turn; a warming round is not kept. */
const rounds = async (sessions, reps, work) => {
  for (let rep = -2; rep < reps; rep++)
    for (const one of rotated(sessions, rep + 2)) await work(one, rep, rep >= 0);
};

const navigations = async (found, sessions, { site, reps }) =>
  rounds(sessions, reps, async ({ peer, session }, _rep, isKept) => {
    for (const path of ['small', 'article'])
      await timeOf(isKept ? found : collection(), `navigate, ${path} page`, peer, () =>
        peer.open(session, `${site.origin}/${path}`),
      );
  });

const operations = async (found, sessions, { site, reps }) => {
  for (const one of sessions) {
    await one.peer.open(one.session, `${site.origin}/actions`);
    await pause(SETTLE_MS);
    [one.button, one.box] = await refsOf(one, [BUTTON, BOX]);
  }
  await rounds(sessions, reps, async ({ peer, session, button, box }, rep, isKept) => {
    const kept = isKept ? found : collection();
    await timeOf(kept, 'click', peer, () => peer.click(session, button));
    await timeOf(kept, 'fill', peer, () => peer.fill(session, box, `value ${rep}`));
    await timeOf(kept, 'evaluate', peer, () => peer.evaluate(session, '() => 1 + 1'));
    await timeOf(kept, 'screenshot', peer, () => peer.screenshot(session));
  });
  const wanted = `${reps + 2} value ${reps - 1}`;
  for (const { peer, session } of sessions) {
    const state =
      "() => document.getElementById('counted').textContent + ' ' + document.getElementById('name').value";
    const { text } = await peer.evaluate(session, state);
    if (!text.includes(wanted))
      for (const what of ['click', 'fill'])
        found.failed(what, peer, `the page says ${text}, not ${wanted}`);
  }
};

/** What a server does around a click grows with the page. */
const clicksInTable = async (found, sessions, { site, reps }) => {
  for (const one of sessions) {
    await one.peer.open(one.session, `${site.origin}/table`);
    await pause(SETTLE_MS);
    [one.approve] = await refsOf(one, [APPROVE]);
  }
  await rounds(sessions, reps, async ({ peer, session, approve }, _rep, isKept) => {
    const before = site.seen.approved.length;
    await timeOf(isKept ? found : collection(), IN_TABLE, peer, () => peer.click(session, approve));
    await pause(SETTLE_MS); // what the page sends may still be on its way
    const [sent, ...more] = site.seen.approved.slice(before);
    if (sent?.id !== '5003' || !sent.isTrusted || more.length)
      found.failed(IN_TABLE, peer, 'no real click arrived');
  });
};

export const peersActions = async ({ site, reps, peers, log }) => {
  const found = collection();
  const sessions = [];
  for (const peer of peers) sessions.push({ peer, session: await startSession(peer) });
  await navigations(found, sessions, { site, reps: reps * 2 });
  log('actions: navigated');
  await operations(found, sessions, { site, reps: reps * 2 });
  log('actions: acted');
  await clicksInTable(found, sessions, { site, reps: Math.max(2, reps >> 1) });
  for (const { session } of sessions) await session.end();
  return table(
    'Latency',
    'Single operations, as the client waits. Every click is checked by the page it was made on.',
    peers,
    timeRows(found, peers),
  );
};
