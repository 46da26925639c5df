// What is read of 200 requests, of one of their bodies, and of 1,000 console messages: tokens, how
// complete, how long.
import { setTimeout as pause } from 'node:timers/promises';
import { startApiSite } from '../lib/api-site.mjs';
import { tokens } from '../lib/outline.mjs';
import { startSession } from '../lib/session.mjs';
import { collection, grouped, table } from '../lib/side-by-side.mjs';
import { ms, rotated } from '../lib/stats.mjs';

const SETTLE_MS = 500;
const REQUESTS = '200 requests';
const BODY = 'one body';
const MESSAGES = '1,000 console messages';

const different = (text, pattern) => new Set(text.match(pattern)).size;

const hasBody = (text) => /"i":\s*7,/.test(text.replaceAll('\\', ''));

/** The numbers of the messages; similar messages are one line that ends in a list of numbers. */
const messageNumbers = (text) =>
  new Set(text.match(/message \d+|#=[\d,]+/g)?.flatMap((part) => part.match(/\d+/g)));

/** What is in a reply of what it should hold. */
const HELD = {
  [REQUESTS]: (text) => `${different(text, /\/api\/echo\/\d+/g)} of 200`,
  [BODY]: (text, apart) =>
    hasBody(text) ? 'whole' : hasBody(apart) ? 'only in structuredContent' : 'missing',
  [MESSAGES]: (text) => `${messageNumbers(text).size} of 1,000`,
};

const listsOf = async function* (peer, session, { site, api }) {
  await peer.open(session, `${api.origin}/two-hundred`);
  await peer.waitText(session, 'done');
  await pause(SETTLE_MS);
  const list = await peer.networkList(session);
  yield [REQUESTS, list];
  yield [BODY, await peer.networkBody(session, list.text, '/api/echo/7?')];
  await peer.open(session, `${site.origin}/messages`);
  await pause(SETTLE_MS);
  yield [MESSAGES, await peer.consoleList(session)];
};

export const peersLists = async ({ site, reps, isQuick, peers: all, log }) => {
  const peers = all.filter(({ only }) => !only);
  const api = await startApiSite();
  const [took, said] = [collection(), new Map()];
  for (let rep = 0; rep < (isQuick ? 1 : Math.min(reps, 3)); rep++) {
    for (const peer of rotated(peers, rep)) {
      const session = await startSession(peer);
      try {
        for await (const [what, { text, apart, ms: spent, isError }] of listsOf(peer, session, {
          site,
          api,
        })) {
          if (isError) took.failed(what, peer, text);
          took.note(what, peer, spent);
          said.set(what + peer.name, `${grouped(tokens(text))} tokens, ${HELD[what](text, apart)}`);
        }
      } catch (error) {
        for (const what of Object.keys(HELD))
          if (took.of(what, peer) === undefined) took.failed(what, peer, error);
      }
      await session.end();
      log(`lists ${rep + 1}, ${peer.name}`);
    }
  }
  api.end();
  const cellOf = (what, peer) => {
    const spent = took.of(what, peer);
    return typeof spent === 'number' ? `${said.get(what + peer.name)}, ${ms(spent)}` : spent;
  };
  const rows = Object.keys(HELD).map((what) => [what, ...peers.map((peer) => cellOf(what, peer))]);
  return table('Lists', 'Tokens of the reply, how much of the list is in it, time.', peers, rows);
};
