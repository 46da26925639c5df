// In a Chrome that already runs there is no proxy: the tabs that are worked in are held by interception, and the health says what is not.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { Reply } from '../../src/pipeline/call.ts';
import { useSites } from './sites.ts';

const sites = useSites();
let chrome: ChildProcess;
let folder = '';
let engine: Engine;
const call = (name: string, args: object = {}): Promise<Reply> => engine.call({ name, arguments: args });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  const flags = ['--headless', '--no-sandbox', '--remote-debugging-port=0', '--no-first-run', '--disable-background-networking'];
  chrome = spawn(process.env['CHROME_PATH'] ?? '', [...flags, `--user-data-dir=${folder}/profile`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise<string>((resolve) => {
    let text = '';
    chrome.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  const config = resolveConfig({ flags: ['--attach', url, '--log-level', 'error', '--allow-domains', 'localhost'] });
  engine = createEngine({ config, home: resolveHome({ OPENCHROME_HOME: join(folder, 'home') }) });
});
afterAll(async () => {
  await engine.stop();
  const gone = new Promise((resolve) => chrome.once('exit', resolve));
  chrome.kill();
  await gone;
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

it('fetches, sockets, frames and redirects of its tabs are refused all the same', async () => {
  expect((await call('navigate', { url: `${sites.home}/` })).text).toContain('home');
  const { text, notes } = await call('javascript_tool', {
    code: `return Promise.all([
      fetch('${sites.away}/f', { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
      new Promise((done) => { const w = new WebSocket('${sites.away.replace('http', 'ws')}/w'); w.onopen = () => done('reached'); w.onerror = () => done('refused'); }),
      new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done('refused'); f.src = '${sites.away}/frame'; document.body.append(f); }),
    ]).then((words) => words.join())`,
  });
  expect(text).toContain('refused,refused,refused');
  expect(notes.join()).toContain('refused by the domain guard');
  const led = await call('navigate', { url: `${sites.home}/redirect?to=${encodeURIComponent(`${sites.away}/led`)}` });
  expect(led.failure?.code).toBe('domain_not_allowed');
  expect(sites.paths()).toEqual([]);
});

it('the health says what cannot be promised here', async () => {
  const health = JSON.parse((await call('oc_connection_health')).text ?? '') as { chrome: { guard: string } };
  expect(health.chrome.guard).toMatch(/^interception .*not judged/);
});
