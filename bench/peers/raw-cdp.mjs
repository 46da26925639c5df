// Bare CDP: the same operations with nothing around them, by a program that knows the pages. The
// floor, not a proposal.
import { setTimeout as pause } from 'node:timers/promises';
import { FIELDS, setFields } from '../lib/form.mjs';
import { fullTrees, outlineOf } from '../lib/outline.mjs';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { clickNode, fillNode, nodeOf } from '../lib/raw-input.mjs';

const start = async (session) => {
  const from = performance.now();
  const chrome = await startRawChrome();
  const requests = new Map();
  const messages = [];
  chrome.listen(({ method, params }) => {
    if (method === 'Network.requestWillBeSent') requests.set(params.requestId, params.request);
    else if (method === 'Network.responseReceived')
      Object.assign(requests.get(params.requestId) ?? {}, params.response);
    else if (method === 'Runtime.consoleAPICalled')
      messages.push(
        `${params.type} ${params.args.map(({ value, description }) => value ?? description).join(' ')}`,
      );
  });
  Object.assign(session, { chrome, requests, messages, frames: await chrome.attachFrames() });
  return { ...chrome, readyMs: performance.now() - from };
};

/** One operation; its steps are CDP commands. */
const operation = (s, name, work) =>
  s.operation(name, '', async () => {
    const before = s.chrome.commands();
    const text = await work(s.chrome);
    return { text: text ?? '', steps: s.chrome.commands() - before };
  });

const linesOf = (requests) =>
  requests
    .map(({ method, status, url }) => `${method} ${status} ${url.replace(/^\w+:\/\/[^/]+/, '')}`)
    .join('\n');
const textOf = (s, expression) => operation(s, 'read', ({ evaluate }) => evaluate(expression));
const press = (s, expression) =>
  operation(s, 'click', async (chrome) => clickNode(chrome, await nodeOf(chrome, expression)));

export const rawCdp = {
  name: 'raw CDP',
  version: '',
  start,

  open: (s, url) => operation(s, 'navigate', ({ navigate }) => (s.requests.clear(), navigate(url))),
  snapshotModes: { '': {} },
  /** The trees as they are; `outline` is what is made of them afterwards. */
  snapshot: async (s) => {
    let trees;
    const entry = await operation(
      s,
      'snapshot',
      async () => void (trees = await fullTrees(s.frames())),
    );
    return Object.assign(entry, { outline: () => outlineOf(trees) });
  },
  find: (s, { selector }) =>
    nodeOf(s.chrome, `document.querySelector(${JSON.stringify(selector)})`),
  click: (s, node) => operation(s, 'click', (chrome) => clickNode(chrome, node)),
  fill: (s, node, value) => operation(s, 'fill', (chrome) => fillNode(chrome, node, value)),
  evaluate: (s, fn) =>
    operation(s, 'evaluate', async ({ evaluate }) => JSON.stringify(await evaluate(`(${fn})()`))),
  screenshot: (s) =>
    operation(
      s,
      'screenshot',
      async ({ send }) => void (await send('Page.captureScreenshot', { format: 'png' })),
    ),
  waitText: (s, text) =>
    operation(s, 'wait', async ({ evaluate }) => {
      while (!(await evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`)))
        await pause(5);
    }),
  networkList: (s) => operation(s, 'list', async () => linesOf([...s.requests.values()].slice(1))),
  networkBody: (s, _list, part) =>
    operation(s, 'body', async ({ send }) => {
      const [requestId] = [...s.requests].find(([, { url }]) => url.includes(part));
      return (await send('Network.getResponseBody', { requestId })).body;
    }),
  consoleList: (s) => operation(s, 'console', async () => s.messages.join('\n')),
  newTab: (s, url) => operation(s, 'tab', ({ openTab }) => openTab(url)),

  /** The fewest steps that still use real input where input is the point. */
  tasks: {
    form: async (s, { url }) => {
      await rawCdp.open(s, url);
      await operation(s, 'fill', async (chrome) => {
        await chrome.evaluate(`(${String(setFields)})(${JSON.stringify(FIELDS)})`);
        const backendNodeId = await nodeOf(chrome, 'document.getElementById("paper")');
        await chrome.send('DOM.setFileInputFiles', { files: [s.file], backendNodeId });
      });
      await press(s, 'document.querySelector("[type=submit]")');
      await rawCdp.waitText(s, 'Received');
      return textOf(s, 'document.getElementById("answer").textContent');
    },
    row: async (s, { url, who, approved }) => {
      await rawCdp.open(s, url);
      await press(
        s,
        `[...document.querySelectorAll('tr')].find((r) => r.cells[1].textContent === ${JSON.stringify(who)}).querySelector('button')`,
      );
      await rawCdp.waitText(s, approved);
      return textOf(s, 'document.getElementById("status").textContent');
    },
    article: async (s, { url }) => {
      await rawCdp.open(s, url);
      return textOf(s, 'document.querySelector("main").innerText');
    },
    api: async (s, { url }) => {
      await rawCdp.open(s, url);
      await rawCdp.waitText(s, 'done');
      const { text } = await rawCdp.networkList(s);
      return rawCdp.networkBody(s, text, '/api/items.json');
    },
    titles: async (s, { urls }) => {
      const titles = [];
      for (const url of urls) {
        await rawCdp.open(s, url);
        titles.push((await textOf(s, 'document.title')).text);
      }
      return { text: titles.join('\n') };
    },
  },
};
rawCdp.tasks['row by script'] = rawCdp.tasks.row;
rawCdp.tasks['titles by script'] = async (s, { index }) => {
  await rawCdp.open(s, index);
  return textOf(
    s,
    `Promise.all([...document.links].map(async (a) => /<title>(.*?)</.exec(await (await fetch(a.href)).text())[1])).then((all) => all.join('\\n'))`,
  );
};
