// `npm run demo`: a host's day in a minute. Starts the built server as an MCP client does and lets it work on a small site.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { ROOT } from './bundle.mjs';
import { startSite } from './demo-site/server.mjs';

const colourful = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (code) => (text) => (colourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, green, red, cyan] = [1, 2, 32, 31, 36].map(paint);

const say = (text) => console.log(text);
const indent = (text) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
const WIDTH = 112;
const wrap = (line) => (line === '' ? [''] : (line.match(new RegExp(`.{1,${WIDTH}}`, 'gu')) ?? []));
/** The first lines of a text; long lines are wrapped, as a terminal would do it. */
const clip = (text, lines) => {
  const all = text.split('\n').flatMap(wrap);
  return all.length > lines ? [...all.slice(0, lines), dim(`… ${all.length - lines} more lines`)].join('\n') : all.join('\n');
};
const oneLine = (text) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
const tokens = (text) => encode(text).length;
const number = (value) => value.toLocaleString('en');
const ms = (since) => `${Math.round(performance.now() - since)} ms`;

/** Chrome may have to be fetched before the first page opens. */
const FIRST_CALL_MS = 240_000;

class Host {
  #client = new Client({ name: 'openchrome-demo', version: '1' });
  tools = [];
  failed = 0;

  async start() {
    const startedAt = performance.now();
    await this.#client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [path.join(ROOT, 'dist/index.js'), '--headless', '--isolated'],
        env: process.env,
        cwd: ROOT,
        stderr: 'inherit',
      }),
    );
    this.tools = (await this.#client.listTools()).tools;
    return ms(startedAt);
  }

  has(...names) {
    return names.every((name) => this.tools.some((tool) => tool.name === name));
  }

  /** Calls a tool the way a model would, and shows the call and what came of it. */
  async call(name, args = {}, { lines = 8, expectFailure = false, show = true } = {}) {
    const startedAt = performance.now();
    const { content, isError = false } = await this.#client.callTool({ name, arguments: args }, { timeout: FIRST_CALL_MS });
    const took = ms(startedAt);
    const text = content.filter(({ type }) => type === 'text').map((block) => block.text);
    const pictures = content.filter(({ type }) => type === 'image');
    const cost = pictures.length ? `${pictures.length} image` : `${number(tokens(text.join('\n')))} tokens`;
    if (isError !== expectFailure) this.failed++;
    say(`  ${cyan(name)} ${oneLine(JSON.stringify(args))} ${dim(`${took}, ${cost}`)}`);
    if (show) for (const block of text) say(indent(clip((isError === expectFailure ? (x) => x : red)(block), lines)));
    return { text: text[0] ?? '', json: () => JSON.parse(text[0]), pictures };
  }

  close() {
    return this.#client.close();
  }
}

/** Each step shows one thing; a step whose tools do not exist, or for which a better one exists, is not part of the demo. */
const STEPS = [
  {
    title: 'Open a page',
    needs: ['navigate'],
    run: (host, { site }) => host.call('navigate', { url: site.origin, waitUntil: 'networkidle', timeout_ms: FIRST_CALL_MS }),
  },
  {
    title: 'Read it: what can be seen and what can be acted on',
    needs: ['read_page'],
    run: async (host) => {
      const { text } = await host.call('read_page', {}, { lines: 24 });
      const { text: html } = await host.call('javascript_tool', { code: 'document.documentElement.outerHTML' }, { show: false });
      say(`    ${green(`${number(tokens(text))} tokens`)} to read; the HTML of the same page has ${number(tokens(html))}`);
    },
  },
  {
    title: 'Act on it with real input, and see what came of it',
    needs: ['fill_form'],
    run: async (host, { site }) => {
      const fields = [
        { label: 'Book', value: 'The Education of a Computer' },
        { label: 'Your name', value: 'Ada' },
        { label: 'Copies', value: '2' },
        { label: 'Wrap it as a gift', value: true },
      ];
      await host.call('fill_form', { fields, submit: true }, { lines: 14 });
      await proveOrder(host, site);
    },
  },
  {
    title: 'Act on it with real input, and see what came of it',
    needs: ['interact'],
    unless: ['fill_form'],
    run: async (host, { site }) => {
      await host.call('interact', { action: 'select', query: 'Book', value: 'The Education of a Computer' });
      await host.call('interact', { action: 'fill', query: 'Your name', value: 'Ada' });
      await host.call('interact', { action: 'click', query: 'Place order' });
      await proveOrder(host, site);
    },
  },
  {
    title: 'Act on it with a script',
    needs: ['javascript_tool'],
    unless: ['fill_form', 'interact'],
    run: async (host, { site }) => {
      const code = [
        "const form = document.querySelector('#order');",
        "form.book.value = '5'; form.name.value = 'Ada'; form.copies.value = '2'; form.gift.checked = true;",
        'form.requestSubmit();',
        "await new Promise((done) => new MutationObserver(done).observe(document.querySelector('#receipt'), { childList: true }));",
        "return document.querySelector('#receipt').textContent;",
      ].join('\n');
      await host.call('javascript_tool', { code });
      await proveOrder(host, site);
    },
  },
  {
    title: 'Take a picture',
    needs: ['page_screenshot'],
    run: async (host) => {
      const file = path.join(ROOT, '.cache/demo/lantern-books.png');
      await mkdir(path.dirname(file), { recursive: true });
      await host.call('page_screenshot', { path: file });
    },
  },
  {
    title: "Discover the site's API: shapes instead of bodies",
    needs: ['network'],
    run: (host) => host.call('network', {}, { lines: 20 }),
  },
  {
    title: 'Keep a large payload out of the conversation: a handle, and only the rows that are needed',
    needs: ['oc_output_fetch', 'crawl'],
    run: async (host, { site }) => {
      const { json } = await host.call('crawl', { url: site.origin, max_depth: 1, max_pages: 12, output_mode: 'handle' });
      const query = "pages[?contains(content, 'Dijkstra')].{title: title, url: url}";
      await host.call('oc_output_fetch', { output_handle: json().output_handle, query });
    },
  },
  {
    title: 'Keep a large payload out of the conversation: a handle, and only the lines that are needed',
    needs: ['oc_output_fetch', 'page_content'],
    unless: ['crawl'],
    run: async (host) => {
      const { json } = await host.call('page_content', { output_mode: 'handle' }, { lines: 3 });
      await host.call('oc_output_fetch', { output_handle: json().output_handle, grep: 'Dijkstra' });
    },
  },
  {
    title: 'Work in the background, and survive whatever happens to the conversation',
    needs: ['oc_task_start', 'oc_task_wait', 'crawl'],
    run: async (host, { site }) => {
      const { json } = await host.call('oc_task_start', { kind: 'crawl', args: { url: site.origin, max_depth: 1, max_pages: 16 } });
      await host.call('oc_task_wait', { task_id: json().task_id, timeout_ms: 30_000 });
    },
  },
  {
    title: 'A page that hangs blocks nothing but itself',
    needs: ['tabs', 'tabs_context', 'javascript_tool'],
    run: async (host, { site }) => {
      const { json } = await host.call('tabs', { action: 'new', url: `${site.origin}/books/1` }, { lines: 3 });
      const { tabId } = json();
      const hung = host.call('javascript_tool', { code: 'while (true) {}', tabId, timeout_ms: 1_500 }, { expectFailure: true });
      await host.call('tabs_context', {}, { lines: 6 });
      await hung;
      await host.call('tabs', { action: 'close', tabId }, { lines: 3 });
    },
  },
  {
    title: 'A mistake is an answer: a code, a reason, and what to do next',
    needs: ['navigate'],
    run: async (host) => {
      await host.call('navigate', { uri: 'example.com' }, { expectFailure: true });
      const nobody = await startSite();
      await nobody.close();
      await host.call('navigate', { url: nobody.origin }, { expectFailure: true });
    },
  },
  {
    title: 'The journal knows what happened',
    needs: ['oc_journal'],
    run: async (host, { startedAt }) => {
      const { json } = await host.call('oc_journal', { action: 'summary', since: startedAt }, { show: false });
      for (const { tool, calls, failed, totalMs } of json().tools)
        say(
          `    ${tool.padEnd(20)} ${String(calls).padStart(3)} calls ${String(failed).padStart(3)} failed ${String(totalMs).padStart(6)} ms`,
        );
    },
  },
];

const proveOrder = async (host, site) => {
  const [order] = site.orders;
  if (!order) host.failed++;
  say(`    ${order ? green('the site received') : red('the site received nothing')} ${order ? JSON.stringify(order) : ''}`);
};

const startedAt = Date.now();
const clock = performance.now();
const site = await startSite();
const host = new Host();
try {
  const took = await host.start();
  const list = host.tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  say(bold('OpenChrome: a real Chrome for AI agents'));
  say(
    dim(
      `server started and ${host.tools.length} tools listed in ${took}; the list costs a model ${number(tokens(JSON.stringify(list)))} tokens`,
    ),
  );
  const steps = STEPS.filter(({ needs, unless = [] }) => host.has(...needs) && !unless.some((name) => host.has(name)));
  for (const [index, { title, run }] of steps.entries()) {
    say(`\n${bold(`${index + 1}. ${title}`)}`);
    await run(host, { site, startedAt });
  }
} finally {
  await host.close();
  await site.close();
}
const seconds = ((performance.now() - clock) / 1000).toFixed(1);
say(`\n${host.failed ? red(`${host.failed} steps did not go as they should`) : green('Everything went as it should')}, in ${seconds} s.`);
process.exitCode = host.failed ? 1 : 0;
