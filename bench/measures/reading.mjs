// What reading a page costs and holds, beside the least outline of the same page and beside the
// accessibility tree that outline comes from.
import { setTimeout as pause } from 'node:timers/promises';
import { GENERATED, personOfRow } from '../lib/generated.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import {
  elementShare,
  elementsRead,
  fullTrees,
  missingElements,
  missingWords,
  outlineOf,
  tokens,
  wordShare,
} from '../lib/outline.mjs';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { savedPages } from '../lib/site.mjs';
import { clock, median, ms, percent, rotated, times } from '../lib/stats.mjs';

const HUGE = 'huge';
const WHOLE_PAGE = { mode: 'ax', max_tokens: 1_000_000, output_mode: 'inline' };
/** The four lines that say which page it is, and the blank one. */
const withoutHeader = (reply) => reply.split('\n').slice(5).join('\n');
/**
 * Pages draw and load frames for a moment after their load event, as they would have before a
 * model's next call.
 */
const SETTLE_MS = 300;

export const reading = async ({ site, reps, log }) => {
  const raw = await startRawChrome();
  const ours = await startOpenChrome();
  const sessions = await raw.attachFrames();
  const pages = [
    ...GENERATED.map((name) => ({ name, path: `/${name}` })),
    ...savedPages().map((name) => ({ name, path: `/saved/${name}` })),
  ];
  const found = [];
  for (const { name, path } of pages) {
    const one = await readPage({ raw, ours, sessions, url: site.origin + path, reps });
    log(describe(name, one));
    found.push({ name, ...one });
  }
  const rows = [...summary(found), ...found.map(pageRow), ...(await rowTask({ ours, site }))];
  await raw.end();
  await ours.end();
  return rows;
};

const readPage = async ({ raw, ours, sessions, url, reps }) => {
  const took = { tree: [], first: [], second: [] };
  let outline, reply;
  const sides = {
    raw: async () => {
      await raw.navigate(url);
      await pause(SETTLE_MS);
      let trees;
      const spent = await clock(async () => (trees = await fullTrees(sessions())));
      outline = outlineOf(trees);
      return () => took.tree.push(spent);
    },
    ours: async () => {
      await ours.call('navigate', { url });
      await pause(SETTLE_MS);
      const first = await clock(async () => (reply = await ours.call('read_page', WHOLE_PAGE)));
      const second = await ours.timed('read_page', WHOLE_PAGE);
      return () => (took.first.push(first), took.second.push(second));
    },
  };
  for (let rep = -1; rep < reps; rep++) {
    for (const side of rotated(['raw', 'ours'], rep + 1)) {
      const keep = await sides[side]();
      if (rep >= 0) keep();
    }
  }
  const read = withoutHeader(reply);
  const elements = elementsRead(read);
  return {
    outline,
    read,
    outlineTokens: tokens(outline.outline),
    readTokens: tokens(read),
    words: wordShare(outline.text, read),
    elements: elementShare(outline.elements, elements),
    missing: {
      words: missingWords(outline.text, read),
      elements: missingElements(outline.elements, elements),
    },
    treeMs: median(took.tree),
    firstMs: median(took.first),
    secondMs: median(took.second),
  };
};

const sizeRatio = ({ readTokens, outlineTokens }) => readTokens / outlineTokens;
const timeRatio = ({ firstMs, treeMs }) => firstMs / treeMs;
const againRatio = ({ firstMs, secondMs }) => secondMs / firstMs;
const isFast = (page) => timeRatio(page) <= 0.5 || page.firstMs <= 4;
const worst = (pages, of) => pages.reduce((a, b) => (of(b) > of(a) ? b : a));
const grouped = (number) => number.toLocaleString('en');

/** The median over the pages, and the page where it is worst. */
const summary = (found) => {
  const usual = found.filter(({ name }) => name !== HUGE);
  const huge = found.find(({ name }) => name === HUGE);
  const ofPages = (what, beside, of, aim) => {
    const last = worst(usual, of);
    return [
      what,
      beside,
      '',
      `${times(of(last))} on ${last.name}`,
      times(median(usual.map(of))),
      aim,
    ];
  };
  const share = (what, of, aim) => {
    const last = worst(found, (page) => -of(page));
    return [
      what,
      `of ${found.length} pages`,
      '',
      `${percent(of(last))} on ${last.name}`,
      percent(median(found.map(of))),
      aim,
    ];
  };
  return [
    ofPages('size of a page read: median, worst', 'outline', sizeRatio, 'at most 1.30 x'),
    share('visible words held: median, worst', ({ words }) => words, 'at least 99 %'),
    share('interactive elements held: median, worst', ({ elements }) => elements, '100 %'),
    ofPages(
      'time of a page read: median, worst',
      'getFullAXTree',
      timeRatio,
      'at most 0.50 x, or 4 ms',
    ),
    [
      'time of a page read: median, pages within the aim',
      '',
      '',
      ms(median(usual.map(({ firstMs }) => firstMs))),
      `${usual.filter(isFast).length} of ${usual.length}`,
      '',
    ],
    ofPages(
      'second read of an unchanged page: median, worst',
      'the first',
      againRatio,
      'at most 1.00 x',
    ),
    ...(huge
      ? [
          [
            'page of 50,000 nodes',
            'getFullAXTree',
            ms(huge.treeMs),
            ms(huge.firstMs),
            times(timeRatio(huge)),
            'at most 0.10 x',
          ],
        ]
      : []),
  ];
};

const pageRow = (page) => {
  const { name, outlineTokens, readTokens, treeMs, firstMs, words, elements } = page;
  const lost =
    words === 1 && elements === 1 ? '' : `words ${percent(words)}, elements ${percent(elements)}`;
  return [
    `page ${name}`,
    'outline, tree',
    `${grouped(outlineTokens)} tokens, ${ms(treeMs)}`,
    `${grouped(readTokens)} tokens, ${ms(firstMs)}`,
    `${times(sizeRatio(page))}, ${times(timeRatio(page))}`,
    lost,
  ];
};

const describe = (name, page) =>
  `${pageRow({ name, ...page }).join(' | ')}${page.missing.words.length ? ` | words: ${page.missing.words.slice(0, 20).join(' ')}` : ''}${page.missing.elements.length ? ` | elements: ${page.missing.elements.join(', ')}` : ''}`;

/**
 * In the table of 2,000 rows: the button in the row of one person, found by the name of that person
 * and pressed.
 */
const rowTask = async (bench) => {
  const outcome = bench.ours.tools.some(({ name }) => name === 'find')
    ? await approveOne(bench).catch((error) => `failed: ${error.message}`)
    : 'no find yet';
  return [
    ['button of one of 2,000 rows, found and clicked', '', '', outcome, '', '3 calls, 400 tokens'],
  ];
};

const approveOne = async ({ ours, site }) => {
  const at = 1500;
  const before = site.seen.approved.length;
  const replies = [
    await ours.call('navigate', { url: `${site.origin}/table` }),
    await ours.call('find', { role: 'button', near: personOfRow(at) }),
  ];
  const ref = /\b(?:f\d+)?e\d+\b/.exec(replies[1])?.[0];
  replies.push(await ours.call('interact', { action: 'click', ref }));
  await pause(SETTLE_MS);
  const approved = site.seen.approved.slice(before);
  const isDone =
    approved.length === 1 && approved[0].id === String(5000 + at) && approved[0].isTrusted;
  const read = replies.reduce((sum, reply) => sum + tokens(reply), 0);
  return isDone
    ? `${replies.length} calls, ${read} tokens`
    : `wrong: approved ${JSON.stringify(approved)}`;
};
