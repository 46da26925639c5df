// This project's server with its tool `script`: each task is one call, and only the result is read.
import { FIELDS } from '../lib/form.mjs';
import { openchrome } from './openchrome.mjs';

const run = (s, code, args) => s.call('script', { code, args });

const titles = (s, { index }) =>
  run(
    s,
    `const { pages } = await crawl({ url: args.index, max_depth: 1, max_pages: 31, delay_ms: 0 });
return pages.map((page) => page.title).join('\\n')`,
    { index },
  );

const approve = (s, { url, who }) =>
  run(
    s,
    `await navigate({ url: args.url });
const { hits } = await find({ role: 'button', near: args.who });
const { receipt } = await interact({ action: 'click', ref: hits[0].ref });
return receipt.effects.announcements.map(({ text }) => text).join()`,
    { url, who },
  );

export const openchromeScript = {
  ...openchrome,
  name: 'openchrome-script',
  tasks: {
    form: (s, { url }) =>
      run(
        s,
        `await navigate({ url: args.url });
const { lines } = await read_page({ max_tokens: 100000 });
const ref = (role, name) => lines.find((line) => line.kind === 'control' && line.name === name &&
  (role === undefined || line.role === role))?.ref;
const fields = args.fields.map(({ label, kind, value }) => kind === 'radio'
  ? { ref: ref('radio', value), value: true } : { ref: ref(undefined, label), value });
const { submitted } = await fill_form({ fields, submit: true });
return submitted.did`,
        {
          url,
          fields: FIELDS.map(({ label, kind, value }) => ({
            label,
            kind,
            value: kind === 'file' ? s.file : value,
          })),
        },
      ),
    row: approve,
    'row by script': approve,
    article: (s, { url }) =>
      run(s, `await navigate(args); return (await read_page({ mode: 'markdown' })).body`, { url }),
    api: (s, { url }) =>
      run(
        s,
        `await navigate(args);
await wait_for({ request: '/api/items.json' });
const { entries } = await network({ url: '/api/items.json' });
const { body } = await network({ detail: entries[0].key, path: '$.items[42]' });
return body`,
        { url },
      ),
    titles,
    'titles by script': titles,
  },
};
