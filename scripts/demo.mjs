// `openchrome demo`: starts the built server as an MCP client does, and works on a small site.
// Bundled to dist/demo.js, next to the server.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens as tokens } from '../src/render/tokens.ts';
import { startSite } from './demo-site/server.mjs';

const colourful = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (code) => (text) => (colourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, green, red, cyan, yellow] = [1, 2, 32, 31, 36, 33].map(paint);

const WIDTH = 108;
const say = (text) => console.log(text);
const indent = (text) => text.replace(/^/gm, '    ');
const number = (value) => value.toLocaleString('en');
const ms = (since) => `${Math.round(performance.now() - since)} ms`;
const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** JSON as it came, with its lines broken where they can be. */
const broken = (json) => {
  const lines = [''];
  for (const piece of json.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+,?/g) ?? []) {
    if (lines.at(-1) !== '' && lines.at(-1).length + piece.length > WIDTH) lines.push('');
    lines[lines.length - 1] += piece;
  }
  return lines.join('\n');
};

/** The first lines of a reply; the demo is to be read, not scrolled. */
const clip = (text, most) => {
  const lines = (/^[[{]/.test(text) ? broken(text) : text)
    .split('\n')
    .map((line) => shortened(line, WIDTH));
  const rest = lines.length - most;
  return rest > 1
    ? [...lines.slice(0, most), dim(`… ${rest} more lines`)].join('\n')
    : lines.join('\n');
};

/** Chrome may have to be fetched before the first page opens. */
const FIRST_CALL_MS = 240_000;

const SERVER = fileURLToPath(new URL('index.js', import.meta.url));
/** The folder of the server, for the screenshot. */
const folder = await mkdtemp(path.join(tmpdir(), 'openchrome-demo-'));

class Host {
  #client = new Client({ name: 'openchrome-demo', version: '1' });
  tools = [];
  failed = 0;
  calls = 0;
  read = 0;

  async start() {
    const startedAt = performance.now();
    await this.#client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [SERVER, '--headless', '--isolated'],
        env: process.env,
        cwd: folder,
        stderr: 'inherit',
      }),
    );
    this.tools = (await this.#client.listTools()).tools;
    return ms(startedAt);
  }

  /** Calls a tool the way a model would, and shows the call and what came of it. */
  async call(name, args = {}, { lines = 8, expectFailure = false, show = true } = {}) {
    const startedAt = performance.now();
    const { content, isError = false } = await this.#client.callTool(
      { name, arguments: args },
      { timeout: FIRST_CALL_MS },
    );
    const took = ms(startedAt);
    const texts = content.filter(({ type }) => type === 'text').map(({ text }) => text);
    const cost = tokens(texts.join('\n'));
    const asExpected = isError === expectFailure;
    if (!asExpected) this.failed++;
    this.calls++;
    this.read += cost;
    say(
      `  ${cyan(name)} ${shortened(JSON.stringify(args), 90)} ${dim(`${took}, ${number(cost)} tokens`)}`,
    );
    const [body = '', ...notes] = texts;
    if (show || !asExpected)
      say(indent(clip(body, lines).replace(/.+/g, asExpected ? '$&' : red('$&'))));
    for (const note of notes) say(indent(yellow(note)));
    return { text: body, json: () => JSON.parse(body) };
  }

  close() {
    return this.#client.close();
  }
}

/** Each step shows one thing. */
const STEPS = [
  {
    title: 'Open a page',
    run: (host, { site }) =>
      host.call('navigate', {
        url: site.origin,
        waitUntil: 'networkidle',
        timeout_ms: FIRST_CALL_MS,
      }),
  },
  {
    title: 'Read it: what can be seen, and what can be acted on',
    run: async (host) => {
      const { text } = await host.call('read_page', {}, { lines: 18 });
      const { text: html } = await host.call(
        'javascript_tool',
        { code: 'document.documentElement.outerHTML' },
        { show: false },
      );
      host.read -= tokens(html); // no agent would
      say(
        `    ${green(`${number(tokens(text))} tokens`)} to read; the HTML of the same page has ${number(tokens(html))}`,
      );
    },
  },
  {
    title: 'Act on it with real input, and get a receipt of what followed',
    run: async (host, { site }) => {
      const fields = [
        { label: 'Book', value: 'The Education of a Computer' },
        { label: 'Your name', value: 'Ada' },
        { label: 'Copies', value: '2' },
        { label: 'Wrap it as a gift', value: true },
      ];
      await host.call('fill_form', { fields, submit: true });
      const [order] = site.orders;
      if (!order) host.failed++;
      say(
        `    ${order ? green(`the site received ${JSON.stringify(order)}`) : red('the site received nothing')}`,
      );
    },
  },
  {
    title: 'Take a picture, with the refs drawn in',
    run: async (host) => {
      const file = path.join(folder, 'lantern-books.png');
      await host.call('page_screenshot', { annotate: true, path: file }, { lines: 4 });
    },
  },
  {
    title: 'See what the page asked for: a listing first, then one value out of one body',
    run: async (host, { site }) => {
      await host.call('network', { format: 'lines' });
      await host.call('network', {
        detail: `GET ${new URL(site.origin).host}/api/books`,
        path: '$.books[7]',
      });
    },
  },
  {
    title:
      'Keep a large result out of the conversation: a handle, and only the rows that are needed',
    run: async (host, { site }) => {
      const { json } = await host.call(
        'crawl',
        { url: site.origin, max_depth: 1, output_mode: 'handle' },
        { lines: 3 },
      );
      const query = "pages[?contains(content, 'Dijkstra')].{title: title, url: url}";
      await host.call(
        'oc_output_fetch',
        { output_handle: json().output_handle, query },
        { lines: 12 },
      );
    },
  },
  {
    title: 'Work in the background; what it has done outlives the conversation',
    run: async (host, { site }) => {
      const { json } = await host.call('oc_task_start', {
        kind: 'crawl',
        args: { url: site.origin, max_depth: 1 },
      });
      await host.call('navigate', { url: `${site.origin}/books/9` });
      await host.call('oc_task_wait', { task_id: json().task_id, timeout_ms: 30_000 });
    },
  },
  {
    title: 'Give a task a budget and its domains, and be held to them',
    run: async (host, { site }) => {
      const policy = { maxToolCalls: 3, allowedDomains: ['127.0.0.1'], enforce: true };
      const { json } = await host.call('oc_task_start', {
        objective: 'Find out what Dijkstra costs',
        policy,
      });
      const taskId = json().task_id;
      await host.call('navigate', { url: site.origin, taskId });
      await host.call('find', { query: 'Dijkstra', waitForMs: 2_000, taskId });
      await host.call('navigate', { url: 'https://example.com', taskId }, { expectFailure: true });
      await host.call('find', { query: 'Hoare', taskId }, { expectFailure: true });
      await host.call('oc_task_finish', { task_id: taskId, outcome: 'completed' });
    },
  },
  {
    title: 'A page that hangs blocks nothing but itself',
    run: async (host, { site }) => {
      const { json } = await host.call(
        'tabs',
        { action: 'new', url: `${site.origin}/books/1` },
        { show: false },
      );
      const { tabId } = json();
      const hung = host.call(
        'javascript_tool',
        { code: 'while (true) {}', tabId, timeout_ms: 1_500 },
        { expectFailure: true },
      );
      await host.call('tabs_context', {}, { lines: 12 });
      await hung;
      await host.call('tabs', { action: 'close', tabId }, { show: false });
    },
  },
  {
    title: 'A mistake is an answer: a code, a reason, and what to do next',
    run: async (host) => {
      await host.call('navigate', { uri: 'example.com' }, { expectFailure: true });
      const nobody = await startSite();
      await nobody.close();
      await host.call('navigate', { url: nobody.origin }, { expectFailure: true });
    },
  },
  {
    title: 'The journal knows what happened',
    run: async (host, { startedAt }) => {
      const { json } = await host.call(
        'oc_journal',
        { action: 'summary', since: startedAt },
        { show: false },
      );
      for (const { tool, calls, failed, totalMs } of json().tools) {
        const count = `${String(calls).padStart(3)} ${calls === 1 ? 'call ' : 'calls'}`;
        say(
          `    ${tool.padEnd(16)} ${count} ${String(totalMs).padStart(6)} ms${failed > 0 ? `  ${failed} failed` : ''}`,
        );
      }
    },
  },
];

const startedAt = Date.now();
const clock = performance.now();
const site = await startSite();
const host = new Host();
try {
  const took = await host.start();
  const list = host.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  const listCost = number(tokens(JSON.stringify(list)));
  say(bold('OpenChrome: a real Chrome for AI agents'));
  say(
    dim(
      `server started and ${host.tools.length} tools listed in ${took}; the list costs a model ${listCost} tokens`,
    ),
  );
  for (const [index, { title, run }] of STEPS.entries()) {
    say(`\n${bold(`${index + 1}. ${title}`)}`);
    await run(host, { site, startedAt });
  }
} finally {
  await host.close();
  await site.close();
}
const seconds = ((performance.now() - clock) / 1000).toFixed(1);
say(`\n${host.calls} calls, whose replies cost a model ${number(host.read)} tokens.`);
say(
  `${host.failed ? red(`${host.failed} calls did not go as they should`) : green('Everything went as it should')}, in ${seconds} s.`,
);
process.exitCode = host.failed ? 1 : 0;
