// What a person does in the browser by hand is recorded like what tools do: here the person is another client of the same Chrome.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { useSite } from '../fixtures.ts';
import { everythingIn, readJson } from './recordings.ts';

const site = useSite({
  '/login': `<!doctype html><title>Login</title><link rel="icon" href="data:,"><form action="/in">
    <input aria-label="User" name="user"><input aria-label="Password" type="password" name="x"><button>Enter</button></form>
    <p id="echo"></p><script>document.querySelector('[type=password]').onchange = (event) => { document.getElementById('echo').textContent = 'you typed ' + event.target.value; console.log('typed', event.target.value); }</script>`,
  '/in': '<!doctype html><title>In</title><link rel="icon" href="data:,"><h1>Welcome</h1>',
});

const PASSWORD = 'tr0ub4dor&3-xyz';
let chrome: ReturnType<typeof spawn>;
let folder = '';
let engine: Engine;
let browser: Browser;
let page: Page;

const call = async <T>(name: string, args: object = {}): Promise<T> => {
  const { text, failure } = await engine.call({ name, arguments: args });
  if (failure) throw failure;
  return JSON.parse(text ?? 'null') as T;
};

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
  browser = await chromium.connectOverCDP(url);
  page = browser.contexts()[0]!.pages()[0]!;
  const home = resolveHome({ OPENCHROME_HOME: join(folder, 'home') });
  engine = createEngine({ config: resolveConfig({ flags: ['--attach', url, '--log-level', 'error'], env: {} }), home });
});

afterAll(async () => {
  await engine.stop();
  await browser.close();
  chrome.kill();
  await new Promise((resolve) => chrome.once('exit', resolve));
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

describe('a person', () => {
  it('is recorded, without the password', async () => {
    await page.goto(`${site.origin}/login`);
    const session = await page.context().newCDPSession(page);
    const { targetId: tabId } = (await session.send('Target.getTargetInfo')).targetInfo;
    const { task_id } = await call<{ task_id: string }>('oc_task_start', { kind: 'recording', args: { tabId } });
    await expect
      .poll(() => readFile(join(folder, 'home', 'tasks', task_id, 'screenshots.jsonl'), 'utf8').catch(() => ''), { timeout: 15_000 })
      .toContain('start');
    await page.getByLabel('User').click();
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/in/);
    await page.goto(`${site.origin}/login`);
    await call('oc_task_cancel', { task_id });
    await call('oc_task_wait', { task_id });
    const { result } = await call<{ result: { folder: string; steps: string[] } }>('oc_task_get', { task_id, include_result: true });
    expect(result.steps.map((step) => step.replaceAll(site.origin, '').replace(/\?.*/, ''))).toEqual([
      'open /login',
      'click textbox "User"',
      'fill textbox "User" with "ada"',
      'press Tab in textbox "User"',
      'fill textbox "Password" with a secret',
      'press Enter in textbox "Password"',
      'at /in',
      'open /login',
    ]);
    const { steps, dom } = await readJson(result.folder);
    expect(new Set(steps.map(({ by }) => by))).toEqual(new Set(['start', 'person']));
    expect(dom.length).toBeGreaterThan(4);
    const written = (await everythingIn(result.folder)) + (await everythingIn(join(folder, 'home')));
    expect(written).toContain('you typed');
    expect(written).not.toContain(PASSWORD);
    expect(written).not.toContain(encodeURIComponent(PASSWORD));
  });
});
