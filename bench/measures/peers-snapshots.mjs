// What a page read costs and how much of the page is in it, against Chrome's own accessibility
// tree.
import { setTimeout as pause } from 'node:timers/promises';
import { GENERATED } from '../lib/generated.mjs';
import { INTERACTIVE, tokens, wordShare } from '../lib/outline.mjs';
import { startSession } from '../lib/session.mjs';
import { grouped } from '../lib/side-by-side.mjs';
import { savedPages } from '../lib/site.mjs';
import { median, ms, percent, rotated, times } from '../lib/stats.mjs';

const SETTLE_MS = 300;
/** A page that takes everybody many seconds is not read again. */
const LONG_MS = 45_000;
const ROLES = new Set([...INTERACTIVE].map((role) => role.toLowerCase()));
/** The inner parts of a date field, which some list: they count for nobody. */
const INNER =
  /^(?:Month|Day|Year|Hours|Minutes|AM\/PM|Week|Show) .*(?:Month|Day|Year|Hours|Minutes|AM\/PM|Week|picker)$/;

/** Lenient to all: as many refs as the page has interactive elements, of whatever such role. */
const refShare = (page, read) => {
  const refs = read.filter(
    ({ role, name }) => ROLES.has(role.toLowerCase()) && !INNER.test(name),
  ).length;
  return page.length ? Math.min(1, refs / page.length) : 1;
};

const readOnce = async (one, url) => {
  await one.peer.open(one.session, url);
  await pause(SETTLE_MS);
  const entry = await one.peer.snapshot(one.session, one.mode);
  if (entry.isError) throw new Error(entry.text.split('\n')[0]);
  return entry;
};

/** Of one page: what it holds by raw CDP, and what each way to read it gave. */
const readPage = async (ways, url, reps) => {
  const reads = new Map(ways.map((way) => [way, { took: [] }]));
  let truth;
  const from = performance.now();
  for (let rep = 0; rep < reps && performance.now() - from < LONG_MS; rep++) {
    // Raw CDP is the first the first time: it tells what is in the page.
    for (const way of rotated(ways, rep)) {
      const read = reads.get(way);
      try {
        const entry = await readOnce(way, url);
        read.took.push(entry.ms);
        if (rep > 0) continue;
        if (entry.outline) truth = entry.outline();
        const text = entry.outline ? truth.outline : entry.text;
        const elements = entry.outline ? truth.elements : way.peer.parse(text);
        Object.assign(read, {
          tokens: tokens(text),
          text: wordShare(truth.text, text),
          refs: refShare(truth.elements, elements),
        });
      } catch (error) {
        read.failed = error.message.slice(0, 80);
      }
    }
  }
  return reads;
};

const cell = ({ failed, tokens: size, text, refs, took }) =>
  failed
    ? `failed: ${failed}`
    : [
        grouped(size),
        ...(text === 1 && refs === 1 ? [] : [`${percent(text)} / ${percent(refs)}`]),
        ms(median(took)),
      ].join(' · ');

const middleAndWorst = (shares) => `${percent(median(shares))}, ${percent(Math.min(...shares))}`;

const summary = (way, raw, pages) => {
  const reads = pages
    .map(({ reads }) => ({ ...reads.get(way), raw: reads.get(raw) }))
    .filter(({ failed }) => !failed);
  const total = reads.reduce((sum, { tokens: size }) => sum + size, 0);
  return [
    way.name,
    `${reads.length} of ${pages.length}`,
    grouped(total),
    times(median(reads.map((read) => read.tokens / read.raw.tokens))),
    middleAndWorst(reads.map(({ text }) => text)),
    middleAndWorst(reads.map(({ refs }) => refs)),
    ms(median(reads.map(({ took }) => median(took)))),
    times(median(reads.map((read) => median(read.took) / median(read.raw.took)))),
  ];
};

export const peersSnapshots = async ({ site, reps, isQuick, peers: all, log }) => {
  const ways = [];
  for (const peer of all.filter(({ only, snapshotModes }) => !only && snapshotModes)) {
    const session = await startSession(peer);
    for (const [name, mode] of Object.entries(peer.snapshotModes))
      ways.push({ name: `${peer.name} ${name}`.trim(), peer, session, mode });
  }
  const generated = GENERATED.filter((name) => !isQuick || name !== 'huge');
  const pages = [];
  for (const path of [...generated, ...savedPages().map((name) => `saved/${name}`)]) {
    pages.push({
      path,
      reads: await readPage(ways, `${site.origin}/${path}`, isQuick ? 1 : Math.min(reps, 3)),
    });
    log(
      `read ${path}: ${ways.map((way) => `${way.name} ${cell(pages.at(-1).reads.get(way))}`).join(' | ')}`,
    );
  }
  for (const session of new Set(ways.map((way) => way.session))) await session.end();
  return [
    {
      title: 'Page reads',
      says: 'Size beside an outline that holds each text and each element once (raw CDP: Accessibility.getFullAXTree, and that outline of it). Text: share of the different words; refs: share of the interactive elements that can be pointed at; median and worst page.',
      head: [
        '',
        'pages',
        'tokens in all',
        'size, median',
        'text',
        'refs',
        'time, median',
        'beside the tree',
      ],
      rows: ways.map((way) => summary(way, ways[0], pages)),
    },
    {
      title: 'Page reads, page by page',
      says: 'Tokens · text / refs where not whole · time.',
      head: ['', ...ways.map(({ name }) => name)],
      rows: pages.map(({ path, reads }) => [
        path.replace('saved/', ''),
        ...ways.map((way) => cell(reads.get(way))),
      ]),
    },
  ];
};
