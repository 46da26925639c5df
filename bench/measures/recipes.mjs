// Recipes of tasks: replays on pages with changed markup (healed, stopped, wrong), and their time
// beside the same actions called directly.
import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { interleaved, median, ms, times } from '../lib/stats.mjs';

const REPLAYS = 20;
const STEPS = 10;

/** A generator with a seed, so that a run can be repeated. */
const createRandom = (seed) => {
  let state = seed;
  const next = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  return {
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)],
    number: () => Math.floor(next() * 1e6),
    shuffle: (list) =>
      list
        .map((item) => [next(), item])
        .toSorted((a, b) => a[0] - b[0])
        .map(([, item]) => item),
  };
};

const text = (key, name, testId) => ({ key, kind: 'text', name, testId });
const button = (key, name, testId) => ({ key, kind: 'button', name, testId });

/**
 * Journeys: the fields and buttons of a page in their recorded form, and the steps. Each button
 * reports its key and the values of all fields to the server.
 */
const JOURNEYS = {
  'sign in': {
    parts: [
      text('user', 'User name', 'user'),
      text('code', 'Code'),
      button('go', 'Sign in', 'sign-in'),
      button('help', 'Get help'),
    ],
    steps: [
      ['fill', 'user', 'ada'],
      ['fill', 'code', '1815'],
      ['click', 'go'],
    ],
  },
  order: {
    parts: [
      text('item', 'Item', 'item'),
      text('count', 'Quantity'),
      { key: 'gift', kind: 'checkbox', name: 'Gift wrap', testId: 'gift' },
      { key: 'size', kind: 'select', name: 'Size', options: ['small', 'large'] },
      button('pay', 'Pay', 'pay'),
      button('later', 'Save for later'),
      button('clear', 'Remove all'),
    ],
    steps: [
      ['fill', 'item', 'book'],
      ['fill', 'count', '2'],
      ['check', 'gift'],
      ['select', 'size', 'large'],
      ['click', 'pay'],
    ],
  },
  'approve in a list': {
    parts: [
      button('a', 'Approve invoice 17', 'approve-17'),
      button('b', 'Approve invoice 18', 'approve-18'),
      button('c', 'Reject invoice 17'),
      button('d', 'Reject invoice 18'),
      text('note', 'Note'),
    ],
    steps: [
      ['fill', 'note', 'checked'],
      ['click', 'b'],
    ],
  },
  search: {
    parts: [
      text('q', 'Search', 'search'),
      button('find', 'Find'),
      button('all', 'Show all', 'all'),
      button('reset', 'Reset'),
    ],
    steps: [
      ['fill', 'q', 'lamp'],
      ['click', 'find'],
    ],
  },
};

/** Other words for a name; some are names of no part, one is close to another part. */
const REWORDED = ['now', 'here', '»', '(new)'];

const change = (part, random) => {
  const isReworded = random.chance(0.2) && !part.keepsName;
  const reworded = isReworded ? `${part.name} ${random.pick(REWORDED)}` : part.name;
  const testId = random.chance(0.1) ? undefined : part.testId;
  return { ...part, name: reworded, testId };
};

/**
 * Two parts of the same kind exchange their names. The page still shows which one is which if they
 * have test ids, or if no other part was moved or added.
 */
const exchangeNames = (parts, random) => {
  const pairs = parts.flatMap((one, at) =>
    parts
      .slice(at + 1)
      .filter((other) => other.kind === one.kind && Boolean(other.testId) === Boolean(one.testId))
      .map((other) => [one, other]),
  );
  if (pairs.length === 0) return parts;
  const [one, other] = random.pick(pairs);
  const names = new Map([
    [one, other.name],
    [other, one.name],
  ]);
  return parts.map((part) => ({ ...part, name: names.get(part) ?? part.name }));
};

/** Parts that the recorded page did not have: similar names, and sometimes the same name. */
const addOthers = (parts, random) => {
  const own = parts.filter(({ kind }) => kind === 'button');
  const others = random.chance(0.5)
    ? [button(`other-${random.number()}`, `${random.pick(own).name} and more`)]
    : [];
  if (!random.chance(0.1)) return [...parts, ...others];
  // Both have the name: if only the new part had it, a page without ids would not show the difference.
  const original = random.pick(own);
  const twin = { ...original, key: 'twin', testId: undefined, keepsName: true };
  const kept = parts.map((part) => (part === original ? { ...part, keepsName: true } : part));
  return [...kept, ...others, twin];
};

/** The keys are not part of the markup, so that a replay cannot use them. */
const REPORT = (keys) => `<script>{
  const keys = ${JSON.stringify(keys)};
  const parts = [...document.querySelectorAll('input,select,button')];
  const readValue = (field) => (field.type === 'checkbox' ? field.checked : field.value);
  for (const [index, part] of parts.entries())
    part.addEventListener('click', () => {
      if (part.localName !== 'button') return;
      const fields = parts.flatMap((one, at) =>
        one.localName === 'button' ? [] : [[keys[at], readValue(one)]]);
      const body = JSON.stringify({ key: keys[index], values: Object.fromEntries(fields) });
      fetch('/did', { method: 'POST', body });
    });
  document.currentScript.remove();
}</script>`;

const renderPart = ({ kind, name, testId, options }, random) => {
  const facts = [
    `id="i${random.number()}" class="c${random.number()}"`,
    testId === undefined ? '' : `data-testid="${testId}"`,
  ].join(' ');
  const wraps = random.number() % 4;
  const control = {
    text: `<label>${name} <input ${facts}></label>`,
    checkbox: `<label><input type="checkbox" ${facts}> ${name}</label>`,
    select: `<label>${name} <select ${facts}>${(options ?? []).map((one) => `<option>${one}</option>`).join('')}</select></label>`,
    button: `<button type="button" ${facts}>${name}</button>`,
  };
  return '<div>'.repeat(wraps) + control[kind] + '</div>'.repeat(wraps);
};

const renderPage = (parts, random) =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Page</title>` +
  `${parts.map((part) => renderPart(part, random)).join('\n')}` +
  `${REPORT(parts.map(({ key }) => key))}</html>`;

/** Does the steps in a task on the recorded page, and saves them as a recipe. */
const record = async (ours, pages, name, { parts, steps }) => {
  pages.state.page = renderPage(parts, createRandom(1));
  const { task_id: taskId } = JSON.parse(await ours.call('oc_task_start', { objective: name }));
  await ours.call('navigate', { url: `${pages.origin}/`, taskId });
  for (const [action, key, value] of steps) {
    const query = parts.find((one) => one.key === key).name;
    await ours.call('interact', {
      action,
      query,
      taskId,
      ...(value === undefined ? {} : { value }),
    });
  }
  await ours.call('oc_recipe', { name, from_task: taskId });
};

/** The report of the last button after all steps were done as recorded. */
const expectedReport = ({ parts, steps }) => {
  const values = Object.fromEntries(
    parts
      .filter(({ kind }) => kind !== 'button')
      .map(({ key, kind, options }) => [
        key,
        { checkbox: false, select: options?.[0], text: '' }[kind],
      ]),
  );
  for (const [action, key, value] of steps)
    if (action !== 'click') values[key] = action === 'check' ? true : value;
  return { key: steps.at(-1)[1], values };
};

const isSame = (one, other) => one.key === other.key && isDeepStrictEqual(one.values, other.values);

const startPages = async () => {
  const state = { page: '', reports: [] };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html');
      response.end(state.page);
      return;
    }
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      state.reports.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { state, server, origin: `http://127.0.0.1:${server.address().port}` };
};

/** A third of the pages has exchanged names, a third is in another order, all have other markup. */
const mutate = (parts, random) => {
  const kind = random.number() % 3;
  if (kind === 0) return exchangeNames(parts, random);
  const others = addOthers(parts, random);
  return (kind === 1 ? random.shuffle(others) : others).map((part) => change(part, random));
};

const replay = async (ours, pages, name, journey, seed) => {
  const random = createRandom(seed);
  const parts = mutate(journey.parts, random);
  pages.state.page = renderPage(parts, random);
  pages.state.reports.splice(0);
  const { text: reply, isError } = await ours.ask('oc_recipe', { run: name, timeout_ms: 60_000 });
  // Reports of the page that are under way arrive before the answer to this one.
  const sent = "await fetch('/did', {method: 'POST', body: '{}'}); return 1";
  await ours.call('javascript_tool', { code: sent });
  const [report, ...more] = pages.state.reports.filter(({ key }) => key !== undefined);
  if (isError) return report ? 'wrong' : 'stopped';
  if (!report || more.length > 0 || !isSame(report, expectedReport(journey))) return 'wrong';
  return reply.includes('"healed":[]') ? 'same' : 'healed';
};

export const recipes = async ({ reps, isQuick, log }) => {
  const pages = await startPages();
  const ours = await startOpenChrome();
  const rows = [];
  try {
    for (const [title, journey] of Object.entries(JOURNEYS)) {
      const name = title.replaceAll(' ', '-');
      await record(ours, pages, name, journey);
      const counts = { same: 0, healed: 0, stopped: 0, wrong: 0 };
      for (let run = 0; run < (isQuick ? 5 : REPLAYS); run++) {
        const outcome = await replay(ours, pages, name, journey, 7919 * (run + 1) + name.length);
        counts[outcome]++;
        log(`${title} ${run}: ${outcome}`);
      }
      rows.push([
        `recipe "${title}" on changed pages: same, healed, stopped, wrong`,
        '',
        '',
        `${counts.same}, ${counts.healed}, ${counts.stopped}, ${counts.wrong}`,
        '',
        'wrong 0',
      ]);
    }
    rows.push(await compareTime(ours, pages, reps));
    return rows;
  } finally {
    await ours.end();
    pages.server.closeAllConnections();
    pages.server.close();
  }
};

/** Ten steps as a recipe, and the same ten actions of a client that knows the elements. */
const compareTime = async (ours, pages, reps) => {
  const fields = Array.from({ length: STEPS - 1 }, (_, index) =>
    text(`f${index}`, `Field ${index}`),
  );
  const journey = {
    parts: fields,
    steps: fields.map(({ key }, index) => ['fill', key, `value ${index}`]),
  };
  await record(ours, pages, 'ten-steps', journey);
  const took = await interleaved(
    {
      client: async () => {
        await ours.call('navigate', { url: `${pages.origin}/` });
        for (const [index, { name }] of fields.entries())
          await ours.call('interact', {
            action: 'fill',
            query: name,
            value: `value ${index}`,
          });
      },
      recipe: () => ours.call('oc_recipe', { run: 'ten-steps' }),
    },
    reps,
    { warmUps: 1 },
  );
  const [client, recipe] = [median(took.client), median(took.recipe)];
  return [
    `recipe of ${STEPS} steps`,
    'the calls of a client',
    ms(client),
    ms(recipe),
    times(recipe / client),
    'at most 1.30 x',
  ];
};
