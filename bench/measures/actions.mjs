// How long single operations take, beside the same with bare CDP commands.
import { startOpenChrome } from '../lib/openchrome.mjs';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { interleaved, median, ms, times } from '../lib/stats.mjs';

export const actions = async ({ site, reps }) => {
  const raw = await startRawChrome();
  const ours = await startOpenChrome();
  const operations = {
    'navigate, small page': {
      raw: () => raw.navigate(`${site.origin}/small`),
      ours: () => ours.call('navigate', { url: `${site.origin}/small` }),
      target: 'at most 1.25 x',
    },
    'navigate, article': {
      raw: () => raw.navigate(`${site.origin}/article`),
      ours: () => ours.call('navigate', { url: `${site.origin}/article` }),
      target: 'at most 1.25 x',
    },
    javascript_tool: {
      raw: () => raw.evaluate('(() => 1 + 1)()'),
      ours: () => ours.call('javascript_tool', { code: '(() => 1 + 1)()' }),
      target: 'at most 3.00 x',
    },
    page_screenshot: {
      raw: () => raw.send('Page.captureScreenshot', { format: 'png' }),
      ours: () => ours.call('page_screenshot'),
      target: '',
    },
  };
  const rows = [];
  for (const [name, { target, ...sides }] of Object.entries(operations)) {
    const took = await interleaved(sides, reps * 3, { warmUps: 3 });
    rows.push([
      name,
      'raw CDP',
      ms(median(took.raw)),
      ms(median(took.ours)),
      times(median(took.ours) / median(took.raw)),
      target,
    ]);
  }
  await raw.end();
  await ours.end();
  return rows;
};
