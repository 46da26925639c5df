// The tool `script`: its start, and the cost of its calls beside the same calls of a client.
import { setTimeout as pause } from 'node:timers/promises';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { clock, interleaved, median, ms, times } from '../lib/stats.mjs';

const CALLS = 100;
const ONE = 'javascript_tool';
const LOOP = `for (let i = 0; i < ${CALLS}; i++) await ${ONE}({ code: '1 + ' + i })`;

/** Chrome works for about this long after its first page. */
const START_MS = 1500;
/** V8 may still optimise code of the first script. */
const AFTER_FIRST_MS = 300;
const LATER = 5;

export const script = async ({ site, reps, isQuick }) => {
  const starts = { first: [], later: [] };
  for (let rep = 0; rep < (isQuick ? 1 : 5); rep++) {
    const server = await startOpenChrome();
    // The engine is loaded and Chrome runs, so that the first script only starts its thread.
    await server.call('navigate', { url: `${site.origin}/small` });
    await pause(START_MS);
    const run = () => clock(() => server.call('script', { code: '1' }));
    starts.first.push(await run());
    await pause(AFTER_FIRST_MS);
    for (let i = 0; i < LATER; i++) starts.later.push(await run());
    await server.end();
  }
  const ours = await startOpenChrome();
  await ours.call('navigate', { url: `${site.origin}/small` });
  const took = await interleaved(
    {
      client: async () => {
        for (let i = 0; i < CALLS; i++) await ours.call(ONE, { code: `1 + ${i}` });
      },
      script: () => ours.call('script', { code: LOOP }),
    },
    reps,
    { warmUps: 2 },
  );
  await ours.end();
  const [first, later] = [median(starts.first), median(starts.later)];
  const [client, inner] = [median(took.client), median(took.script)];
  return [
    [
      `${CALLS} calls in a script`,
      'the calls of a client',
      ms(client),
      ms(inner),
      times(inner / client),
      'at most 1.10 x',
    ],
    ['first script', 'a later one', ms(later), ms(first), '', ''],
    ['thread and QuickJS ready (the difference)', '', '', ms(first - later), '', 'under 30 ms'],
  ];
};
