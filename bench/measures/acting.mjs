// What acting costs, receipt included, beside the same input as bare CDP commands: clicks, fills,
// and the form of 40 fields.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FIELDS, setFields } from '../lib/form.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { elementsRead, tokens } from '../lib/outline.mjs';
import { clickNode, fillNode, nodeOf } from '../lib/raw-input.mjs';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { interleaved, median, ms, times } from '../lib/stats.mjs';

const WARM_UPS = 3;

export const acting = async ({ site, reps }) => {
  const raw = await startRawChrome();
  const ours = await startOpenChrome();
  const bench = { raw, ours, site, reps };
  const rows = [];
  for (const { needs, what, measure } of MEASURES) {
    const missing = needs.filter((tool) => !ours.tools.some(({ name }) => name === tool));
    rows.push(
      ...(missing.length
        ? [[what, '', '', `no ${missing.join(', ')} yet`, '', '']]
        : await measure(bench)),
    );
  }
  await raw.end();
  await ours.end();
  return rows;
};

/** Both sides in turn: the times of each, and our last reply. */
const inTurn = async (sides, reps) => {
  let reply = '';
  const ways = { raw: sides.raw, ours: async (rep) => (reply = await sides.ours(rep)) };
  const took = await interleaved(ways, reps, { warmUps: WARM_UPS });
  return { raw: median(took.raw), ours: median(took.ours), reply };
};

const timeRow = (what, { raw, ours }, aim, wrong) => [
  what,
  'raw CDP',
  ms(raw),
  wrong || ms(ours),
  times(ours / raw),
  aim,
];

const openBoth = async ({ raw, ours, site }, path) => {
  await raw.navigate(site.origin + path);
  await ours.call('navigate', { url: site.origin + path });
};

const refOf = async (ours, role, name) => {
  const found = elementsRead(
    await ours.call('read_page', { max_tokens: 1_000_000, output_mode: 'inline' }),
  ).find((element) => element.role === role && element.name === name);
  if (!found) throw new Error(`no ${role} "${name}" was read`);
  return found.ref;
};

const clicksAndFills = async (bench) => {
  const { raw, ours, reps } = bench;
  await openBoth(bench, '/actions');
  const button = {
    raw: await nodeOf(raw, 'document.getElementById("count")'),
    ours: await refOf(ours, 'button', 'Count'),
  };
  const box = {
    raw: await nodeOf(raw, 'document.getElementById("name")'),
    ours: await refOf(ours, 'textbox', 'Name'),
  };
  const clicks = reps * 3;
  const click = await inTurn(
    {
      raw: () => clickNode(raw, button.raw),
      ours: () => ours.call('interact', { action: 'click', ref: button.ours }),
    },
    clicks,
  );
  const fill = await inTurn(
    {
      raw: (rep) => fillNode(raw, box.raw, `value ${rep}`),
      ours: (rep) =>
        ours.call('interact', { action: 'fill', ref: box.ours, value: `value ${rep}` }),
    },
    clicks,
  );
  const state =
    'document.getElementById("counted").textContent + " " + document.getElementById("name").value';
  const wanted = `${clicks + 3} value ${clicks - 1}`;
  const got = await ours.call('javascript_tool', { code: state });
  const wrong = got.includes(wanted) ? '' : `wrong: the page says ${got}`;
  return [
    timeRow('click with its receipt', click, 'at most 3.00 x', wrong),
    timeRow('fill with its receipt', fill, 'at most 4.00 x', wrong),
    ['receipt of a plain click', '', '', `${tokens(click.reply)} tokens`, '', 'at most 40'],
  ];
};

/**
 * What a click costs more that asks the server for something that brings nothing, or never ends.
 */
const idleAnswers = async (bench) => {
  const { ours, reps } = bench;
  const rows = [];
  for (const [what, path] of [
    ['click that is answered 204', '/no-content'],
    ['click that opens a stream', '/endless'],
  ]) {
    await openBoth(bench, '/actions');
    const ref = await refOf(ours, 'button', 'Count');
    const click = () => ours.call('interact', { action: 'click', ref });
    const asks = (asking) =>
      ours.call('javascript_tool', {
        code: `document.getElementById('count').onmousedown = ${asking ? `() => { fetch('${path}') }` : 'null'}; 1`,
      });
    const before = (side) => asks(side === 'asking');
    const took = await interleaved({ plain: click, asking: click }, reps * 3, {
      warmUps: WARM_UPS,
      before,
    });
    const { plain, asking } = { plain: median(took.plain), asking: median(took.asking) };
    rows.push([
      what,
      'our plain click',
      ms(plain),
      ms(asking),
      times(asking / plain),
      'nothing extra',
    ]);
  }
  return rows;
};

const clickInTable = async (bench) => {
  const { raw, ours, site, reps } = bench;
  await openBoth(bench, '/table');
  const node = await nodeOf(raw, 'document.querySelector("[data-id=\'5003\']")');
  const ref = await refOf(ours, 'button', 'Approve 5003');
  const sides = {
    raw: () => clickNode(raw, node),
    ours: () => ours.call('interact', { action: 'click', ref }),
  };
  const before = site.seen.approved.length;
  const asking = await inTurn(sides, reps);
  await pause(500); // the last click of the raw side may still be on its way
  const approved = site.seen.approved
    .slice(before)
    .filter(({ id, isTrusted }) => id === '5003' && isTrusted).length;
  const wrong =
    approved === 2 * (reps + 3) ? '' : `wrong: ${approved} of ${2 * (reps + 3)} clicks arrived`;
  await raw.evaluate(AT_ONCE);
  await ours.call('javascript_tool', { code: AT_ONCE });
  const atOnce = await inTurn(sides, reps);
  return [
    timeRow('click on a page of 2,000 rows that asks the server', asking, 'at most 2.00 x', wrong),
    timeRow('click on a page of 2,000 rows that changes at once', atOnce, 'at most 2.00 x'),
  ];
};

/**
 * The same page, without the question to the server: what is left is what the size of the page
 * costs.
 */
const AT_ONCE = `document.querySelector('tbody').onclick = () => { document.getElementById('status').textContent = String(Math.random()); }; 1`;

/** The fields as a model that has read the page names them: by ref. */
const fieldsByRef = (page, file) => {
  const elements = elementsRead(page);
  return FIELDS.map(({ label, kind, value }) => {
    const name = kind === 'radio' ? value : label;
    const { ref } = elements.find((element) => element.name === name) ?? {};
    if (!ref) throw new Error(`no field "${name}" was read`);
    return { ref, value: kind === 'radio' ? true : kind === 'file' ? file : value };
  });
};

const ourForm = async ({ ours, site, file }) => {
  const replies = [
    await ours.call('navigate', { url: `${site.origin}/form` }),
    await ours.call('read_page'),
  ];
  replies.push(
    await ours.call('fill_form', { fields: fieldsByRef(replies[1], file), submit: true }),
  );
  return replies;
};

const rawForm = async ({ raw, site, file }) => {
  await raw.navigate(`${site.origin}/form`);
  await raw.evaluate(`(${String(setFields)})(${JSON.stringify(FIELDS)})`);
  await raw.send('DOM.setFileInputFiles', {
    files: [file],
    backendNodeId: await nodeOf(raw, 'document.getElementById("paper")'),
  });
  await clickNode(raw, await nodeOf(raw, 'document.querySelector("[type=submit]")'));
  // The page itself reports when the element exists.
  await raw.evaluate(
    `new Promise((done) => { const answer = document.getElementById('answer'); if (answer.textContent) done(); else new MutationObserver(done).observe(answer, { childList: true }); })`,
  );
};

const form = async (bench) => {
  const { ours, site, reps } = bench;
  const file = join(ours.home, 'note.txt');
  writeFileSync(file, 'A note.\n');
  let replies = [];
  const before = site.seen.forms.length;
  const spent = await inTurn(
    {
      raw: () => rawForm({ ...bench, file }),
      ours: async () => (replies = await ourForm({ ...bench, file })),
    },
    reps,
  );
  const sent = site.seen.forms.slice(before);
  const lost = [...new Set(sent.flatMap(({ wrong }) => wrong))];
  const wrong = lost.length
    ? `wrong: ${lost.join(', ')}`
    : sent.length < 2 * (reps + 3)
      ? `wrong: ${sent.length} of ${2 * (reps + 3)} forms arrived`
      : '';
  const read = replies.reduce((sum, reply) => sum + tokens(reply), 0);
  return [
    timeRow('form of 40 fields, read, filled and sent', spent, 'at most 3.00 x', wrong),
    [
      '',
      '',
      '',
      `${replies.length} calls, ${read.toLocaleString('en')} tokens`,
      '',
      '3 calls, 1,200 tokens',
    ],
  ];
};

const MEASURES = [
  { what: 'click and fill', needs: ['interact'], measure: clicksAndFills },
  { what: 'click with an idle answer', needs: ['interact'], measure: idleAnswers },
  { what: 'click on a page of 2,000 rows', needs: ['interact'], measure: clickInTable },
  { what: 'form of 40 fields', needs: ['fill_form'], measure: form },
];
