// agent-browser twice: its MCP server, and its command line as an agent's shell would run it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROME, CHROME_FLAGS } from '../lib/chrome.mjs';
import { installPeer, versionOf } from '../lib/peers.mjs';
import { endProcesses } from '../lib/processes.mjs';

/** Its install script would have made the shipped binary executable. */
const binary = () => {
  const file = join(
    installPeer('agent-browser'),
    `node_modules/agent-browser/bin/agent-browser-${process.platform}-${process.arch}`,
  );
  chmodSync(file, 0o755);
  return file;
};
const env = (dir) => ({
  AGENT_BROWSER_EXECUTABLE_PATH: CHROME,
  AGENT_BROWSER_ARGS: CHROME_FLAGS.join(','),
  AGENT_BROWSER_SOCKET_DIR: dir,
  AGENT_BROWSER_SESSION: 'b',
  AGENT_BROWSER_SCREENSHOT_DIR: dir,
});
const script = (fn) => `(${fn})()`;

/** Its fill says "done" on these and does nothing, so they are set by a script. */
const UNFILLABLE = ['range', 'date', 'time', 'datetime-local', 'month', 'week', 'color'];
const setByLabel = (pairs) =>
  `for (const [label, value] of ${JSON.stringify(pairs)}) [...document.querySelectorAll('label')].find((l) => l.textContent === label).control.value = value`;
const fillCommand = (s, { kind, ref, value }) => {
  if (kind === 'checkbox') return [value ? 'check' : 'uncheck', ref];
  if (kind === 'radio') return ['check', ref];
  if (kind === 'switch') return ['click', ref];
  if (kind === 'select' || kind === 'selects') return ['select', ref, ...[value].flat()];
  return kind === 'file' ? ['upload', ref, s.file] : ['fill', ref, value];
};
const formCommands = (s, items) => [
  ...items.filter(({ kind }) => !UNFILLABLE.includes(kind)).map((item) => fillCommand(s, item)),
  [
    'eval',
    setByLabel(
      items
        .filter(({ kind }) => UNFILLABLE.includes(kind))
        .map(({ label, value }) => [label, value]),
    ),
  ],
];
const buttonAfter = (text, who) =>
  `@${/button .*?ref=(e\d+)/.exec(text.slice(text.indexOf(`"${who}"`)))?.[1]}`;

const parse = (text) =>
  [...text.matchAll(/^\s*- (\w+)(?: "((?:[^"\\]|\\.)*)")?[^\n]*?ref=(e\d+)/gm)].map(
    ([, role, name = '', ref]) => ({
      role,
      name,
      ref: `@${ref}`,
    }),
  );

/** With the tool groups that the measures need: its default has no tools for network or console. */
export const agentBrowser = {
  name: 'agent-browser',
  version: versionOf('agent-browser'),
  command: (dir) => ({
    command: binary(),
    args: ['mcp', '--tools', 'core,network,debug,tabs'],
    env: env(dir),
  }),
  variants: { '--tools core (default)': ['--tools', 'core'], '--tools all': ['--tools', 'all'] },
  goodbye: (s) => s.call('agent_browser_close'),

  open: (s, url) => s.call('agent_browser_open', { url }),
  /** By default it lists interactive elements only. */
  snapshotModes: { '': {}, full: { interactive: false } },
  snapshot: (s, mode = {}) => s.call('agent_browser_snapshot', mode),
  parse,
  click: (s, ref) => s.call('agent_browser_click', { selector: ref }),
  clickSelector: (s, selector) => s.call('agent_browser_click', { selector }),
  fill: (s, ref, value) => s.call('agent_browser_fill', { selector: ref, text: value }),
  evaluate: (s, fn) => s.call('agent_browser_eval', { script: script(fn) }),
  screenshot: (s) => s.call('agent_browser_screenshot'),
  waitText: (s, text) => s.call('agent_browser_wait_for_text', { text }),
  networkList: (s) => s.call('agent_browser_network_requests'),
  networkBody: (s, list, part) => {
    const { requestId } = JSON.parse(list).data.requests.find(({ url }) => url.includes(part));
    return s.call('agent_browser_network_request', { requestId });
  },
  consoleList: (s) => s.call('agent_browser_console'),
  newTab: (s, url) => s.call('agent_browser_tab_new', { url }),

  readArticle: (s) => s.call('agent_browser_read'),
  findInRow: async (s, who) =>
    buttonAfter((await s.call('agent_browser_snapshot', { interactive: false })).text, who),
  fillForm: (s, items) =>
    s.call('agent_browser_batch', { commands: formCommands(s, items), omitCommand: true }),
};

/** One shell command is one call; several joined by && are one too. */
const startShell = async (session) => {
  const dir = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const run = (argv) =>
    new Promise((resolve) => {
      const options = {
        cwd: dir,
        env: { ...process.env, HOME: dir, TMPDIR: dir, ...env(dir) },
        stdio: ['ignore', 'pipe', 'pipe'],
      };
      const child = spawn(binary(), argv, options);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (text += chunk));
      // Not its close: the daemon that a first command leaves behind may hold the pipes open.
      child.once('exit', (code) => setImmediate(() => resolve({ text, isError: code !== 0 })));
    });
  const runAll = async (commands) => {
    const all = { text: '', isError: false };
    for (const argv of commands) {
      const { text, isError } = await run(argv);
      all.text += text;
      all.isError = isError;
      if (isError) break;
    }
    return all;
  };
  const line = (argv) =>
    `agent-browser ${argv.map((word) => (/^[\w@:./=-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`;
  session.shell = (...commands) =>
    session.operation(commands[0][0], commands.map(line).join(' && '), () => runAll(commands));
  return {
    dir,
    readyMs: 0,
    end: async () => {
      await endProcesses(dir);
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};

export const agentBrowserCli = {
  name: 'agent-browser-cli',
  version: versionOf('agent-browser'),
  start: startShell,
  /** What an agent reads in place of a tool list. */
  manual: (s) => s.shell(['skills', 'get', 'core']),
  goodbye: (s) => s.shell(['close']),

  open: (s, url) => s.shell(['open', url]),
  /** The same as its MCP server's: measured once. */
  snapshot: (s) => s.shell(['snapshot', '-i']),
  parse,
  click: (s, ref) => s.shell(['click', ref]),
  clickSelector: (s, css) => s.shell(['click', css]),
  fill: (s, ref, value) => s.shell(['fill', ref, value]),
  evaluate: (s, fn) => s.shell(['eval', script(fn)]),
  screenshot: (s) => s.shell(['screenshot']),
  waitText: (s, text) => s.shell(['wait', '--text', text]),
  networkList: (s) => s.shell(['network', 'requests']),
  /** Without --json it prints only the address. */
  networkBody: (s, list, part) => {
    const line = list.split('\n').find((one) => one.includes(part));
    return s.shell(['network', 'request', /^\s*\[?([\w.]+)/.exec(line)[1], '--json']);
  },
  consoleList: (s) => s.shell(['console']),
  newTab: (s, url) => s.shell(['tab', 'new', url]),

  readArticle: (s) => s.shell(['read']),
  findInRow: async (s, who) => buttonAfter((await s.shell(['snapshot'])).text, who),
  fillForm: (s, items) => s.shell(...formCommands(s, items)),
};
