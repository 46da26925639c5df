// Tasks on each server, checked by the requests of the site or by the content of the reply.
import { setTimeout as pause } from 'node:timers/promises';
import { items, startApiSite } from '../lib/api-site.mjs';
import { FIELDS } from '../lib/form.mjs';
import { CHAPTERS, personOfRow } from '../lib/generated.mjs';
import { startSession } from '../lib/session.mjs';
import { besideRaw, collection, grouped, table } from '../lib/side-by-side.mjs';
import { ms, rotated } from '../lib/stats.mjs';

const ROW = 1500;
const ID = String(5000 + ROW);
/** Between calls a model takes at least this long; it is not counted. */
const think = () => pause(300);

/** Chrome works for about this long after its first page. */
const START_MS = 1500;

/** Roles by kind of field, where they are not those of text. */
const ROLE = {
  search: /searchbox/,
  number: /spinbutton/,
  range: /slider/,
  select: /combobox/,
  selects: /listbox/,
  checkbox: /checkbox/,
  radio: /radio/,
  switch: /switch/,
  file: /button/,
};
const TEXT = /textbox|combobox|Date|InputTime|ColorWell/;

/** What followed is seen in the reply, or in the cheapest way there is with this server. */
const seen = async (peer, s, reply, text) => {
  if (reply.text.includes(text)) return;
  await think();
  await (peer.confirm ?? peer.waitText)(s, text);
};

const TASKS = {
  form: async (peer, s, { url }) => {
    await peer.open(s, url);
    await think();
    const elements = peer.parse((await peer.snapshot(s)).text);
    const refOf = (role, name) =>
      elements.find((element) => role.test(element.role) && element.name === name)?.ref;
    const filled = FIELDS.map((field) => ({
      ...field,
      ref: refOf(ROLE[field.kind] ?? TEXT, field.kind === 'radio' ? field.value : field.label),
    }));
    await think();
    if (peer.fillAndSend) return seen(peer, s, await peer.fillAndSend(s, filled), 'Received');
    await peer.fillForm(s, filled);
    await think();
    return seen(peer, s, await peer.click(s, refOf(/button/, 'Send all')), 'Received');
  },
  row: async (peer, s, { url, who, approved }) => {
    await peer.open(s, url);
    await think();
    const ref = await peer.findInRow(s, who);
    await think();
    await seen(peer, s, await peer.click(s, ref), approved);
  },
  'row by script': async (peer, s, { url, who, approved }) => {
    await peer.open(s, url);
    await think();
    const button = `[...document.querySelectorAll('tr')].find((r) => r.cells[1].textContent === ${JSON.stringify(who)}).querySelector('button')`;
    if (!peer.clickSelector) await peer.evaluate(s, `() => ${button}.click()`);
    else await peer.evaluate(s, `() => ${button}.dataset.id`);
    await think();
    const reply = peer.clickSelector
      ? await peer.clickSelector(s, `[data-id="${ID}"]`)
      : { text: '' };
    if (!reply.text.includes(approved))
      await peer.evaluate(s, "() => document.getElementById('status').textContent");
  },
  article: async (peer, s, { url }) => {
    await peer.open(s, url);
    await think();
    return peer.readArticle(s);
  },
  api: async (peer, s, { url }) => {
    await peer.open(s, url);
    await think();
    const { text } = await peer.networkList(s);
    return peer.networkBody(s, text, '/api/items.json');
  },
  titles: async (peer, s, { index, urls }) => {
    await peer.open(s, index);
    await think();
    await peer.snapshot(s);
    const texts = [];
    for (const url of urls) texts.push((await peer.open(s, url)).text);
    return { text: texts.join('\n') };
  },
  'titles by script': async (peer, s, { index }) => {
    await peer.open(s, index);
    await think();
    return peer.evaluate(
      s,
      `async () => (await Promise.all([...document.links].map(async (a) => /<title>(.*?)</.exec(await (await fetch(a.href)).text())[1]))).join('\\n')`,
    );
  },
};

const approvals = (sent) => {
  if (sent.length !== 1 || sent[0].id !== ID)
    return `approved ${JSON.stringify(sent.map(({ id }) => id))}`;
  return sent[0].isTrusted ? 'ok' : 'ok, but no real click';
};
const titlesIn = ({ text }) => CHAPTERS.filter((title) => text.includes(title)).length;
const collected = (value) =>
  titlesIn(value) === CHAPTERS.length ? 'ok' : `${titlesIn(value)} of ${CHAPTERS.length}`;

/** `ok`, or what is not. */
const JUDGE = {
  form: (_value, { forms: [form] }) =>
    form ? (form.wrong.length ? `wrong: ${form.wrong.join(' ')}` : 'ok') : 'not sent',
  row: (_value, { approved }) => approvals(approved),
  'row by script': (_value, { approved }) => approvals(approved),
  article: ({ text }) => (/Part 6/.test(text) && text.length > 8000 ? 'ok' : 'text missing'),
  api: ({ text, apart }) => {
    if (text.includes(items[42].secret)) return 'ok';
    return apart.includes(items[42].secret) ? 'ok, but only in structuredContent' : 'body missing';
  },
  titles: collected,
  'titles by script': collected,
};

const doTask = async (task, peer, { site, api }) => {
  const urls = { form: '/form', row: '/table', 'row by script': '/table', article: '/article' };
  const context = {
    url: task === 'api' ? `${api.origin}/shop` : site.origin + urls[task],
    who: personOfRow(ROW),
    approved: `Approved ${ID}`,
    index: `${site.origin}/chapters`,
    urls: CHAPTERS.map((_, i) => `${site.origin}/chapters/${i + 1}`),
  };
  const session = await startSession(peer);
  try {
    // The start of the browser is another measure; it goes on after the first page.
    await peer.open(session, `${site.origin}/small`);
    await pause(START_MS);
    const before = { forms: site.seen.forms.length, approved: site.seen.approved.length };
    const cost = await session.cost(() =>
      peer.tasks?.[task] ? peer.tasks[task](session, context) : TASKS[task](peer, session, context),
    );
    await pause(100); // what the page sends may still be on its way
    const sent = {
      forms: site.seen.forms.slice(before.forms),
      approved: site.seen.approved.slice(before.approved),
    };
    return { ...cost, verdict: JUDGE[task](cost.value ?? { text: '' }, sent) };
  } finally {
    await session.end();
  }
};

const cellOf = (spent, { calls, read, verdict } = {}) =>
  typeof spent === 'number'
    ? `${calls} · ${grouped(read)} · ${ms(spent)}${verdict === 'ok' ? '' : ` (${verdict})`}`
    : (spent ?? '–');

/** Sums over the tasks; of one that failed somewhere there is no sum. */
const totals = (peers, took, costs) => {
  const tasks = Object.keys(TASKS);
  const all = (peer, of) => {
    const values = tasks.map((task) => of(task, peer));
    return values.every((value) => typeof value === 'number')
      ? values.reduce((sum, value) => sum + value, 0)
      : undefined;
  };
  const row = (what, of, tell = grouped) => [
    what,
    ...peers.map((peer) => {
      const sum = all(peer, of);
      return sum === undefined ? 'not all done' : tell(sum);
    }),
  ];
  const raw = all(peers[0], took.of);
  return [
    row('**all: calls**', (task, peer) => costs.get(task + peer.name)?.calls),
    row('**all: tokens read**', (task, peer) => costs.get(task + peer.name)?.read),
    row('**all: tokens written**', (task, peer) => costs.get(task + peer.name)?.wrote),
    row('**all: time**', took.of, (value) => besideRaw(value, raw)),
  ];
};

export const peersTasks = async ({ site, reps, isQuick, peers, log }) => {
  const api = await startApiSite();
  const [took, costs] = [collection(), new Map()];
  for (let rep = 0; rep < (isQuick ? 1 : Math.min(reps, 5)); rep++) {
    for (const task of Object.keys(TASKS)) {
      for (const peer of rotated(peers, rep)) {
        try {
          const cost = await doTask(task, peer, { site, api });
          took.note(task, peer, cost.ms);
          // A verdict that was not good once stays.
          const before = costs.get(task + peer.name)?.verdict ?? 'ok';
          costs.set(task + peer.name, {
            ...cost,
            verdict: before === 'ok' ? cost.verdict : before,
          });
        } catch (error) {
          took.failed(task, peer, error);
        }
        log(
          `task ${task} ${rep + 1}, ${peer.name}: ${cellOf(took.of(task, peer), costs.get(task + peer.name))}`,
        );
      }
    }
  }
  api.end();
  const rows = Object.keys(TASKS).map((task) => [
    task,
    ...peers.map((peer) => cellOf(took.of(task, peer), costs.get(task + peer.name))),
  ]);
  return table(
    'Scripted tasks',
    'Calls · tokens read · time, with what went wrong. Raw CDP: commands, and only the answer as tokens. The 40-field form; the button in the row of one of 2,000 people; the article; one body of the JSON API; the titles of 30 pages. By script: with the evaluate tool.',
    peers,
    [...rows, ...totals(peers, took, costs)],
  );
};
