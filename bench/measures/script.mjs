// The tool `script`: its start, and the cost of its calls beside the same calls of a client.
import { startOpenChrome } from '../lib/openchrome.mjs';
import { clock, interleaved, median, ms, times } from '../lib/stats.mjs';

const CALLS = 100;
const ONE = 'javascript_tool';
const LOOP = `for (let i = 0; i < ${CALLS}; i++) await ${ONE}({ code: '1 + ' + i })`;

export const script = async ({ site, reps, isQuick }) => {
  const firsts = { health: [], script: [] };
  for (let rep = 0; rep < (isQuick ? 1 : 5); rep++) {
    const server = await startOpenChrome();
    // Both calls use no browser. The first script also starts its thread and loads QuickJS.
    firsts.health.push(await clock(() => server.call('oc_connection_health')));
    firsts.script.push(await clock(() => server.call('script', { code: '1' })));
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
  const warm = await interleaved({ warm: () => ours.call('script', { code: '1' }) }, reps * 3);
  await ours.end();
  const [health, ready] = [median(firsts.health), median(firsts.script)];
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
    [
      'first script: thread and QuickJS',
      'the same without a script',
      ms(health),
      ms(ready),
      '',
      '',
    ],
    ['QuickJS ready (the difference)', '', '', ms(ready - health), '', 'under 30 ms'],
    ['script in a running thread', '', '', ms(median(warm.warm)), '', ''],
  ];
};
