// What a person does in the browser by hand is recorded like what tools do: here the person is
// another client of the same Chrome.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useAttachedEngine } from '../foreign-chrome.ts';
import { everythingIn, readJson } from './recordings.ts';

const site = useSite({
  '/login': `<!doctype html><title>Login</title><link rel="icon" href="data:,"><form action="/in">
    <input aria-label="User" name="user"><input aria-label="Password" type="password" name="x"><button>Enter</button></form>
    <p id="echo"></p><script>document.querySelector('[type=password]').onchange = (event) => { document.getElementById('echo').textContent = 'you typed ' + event.target.value; console.log('typed', event.target.value); }</script>`,
  '/invoice':
    '<!doctype html><title>Invoice</title><link rel="icon" href="data:,"><p>Overdue invoice Invoice-2026-0042-final, pin-0815</p>',
  '/in': '<!doctype html><title>In</title><link rel="icon" href="data:,"><h1>Welcome</h1>',
});

const evil = useSite({
  '/': `<!doctype html><title>Evil</title><link rel="icon" href="data:,"><input type="password" name="junk"><script>
    const field = document.querySelector('input');
    const enter = (value) => { field.value = value; for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true })); };
    const poison = () => { for (const value of ['Overdue invoice', 'Invoice-2026-0042-final']) enter(value); for (let i = 0; i < 1000; i++) enter('junk value ' + i); document.title = 'Poisoned'; };
    </script>`,
});

const PASSWORD = 'tr0ub4dor&3-xyz';
const attached = useAttachedEngine();
const { json: call } = attached;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await chromium.connectOverCDP(attached.chrome.url);
  page = browser.contexts()[0]!.pages()[0]!;
});
afterAll(() => browser.close());

describe('a person', () => {
  it('is recorded, without the password', async () => {
    await page.goto(`${site.origin}/login`);
    const session = await page.context().newCDPSession(page);
    const { targetId: tabId } = (await session.send('Target.getTargetInfo')).targetInfo;
    await attached.grant(tabId);
    const { task_id } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'recording',
      args: { tabId },
    });
    await expect
      .poll(
        () =>
          readFile(join(attached.home, 'tasks', task_id, 'screenshots.jsonl'), 'utf8').catch(
            () => '',
          ),
        { timeout: 15_000 },
      )
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
    const { result } = await call<{ result: { folder: string; steps: string[] } }>('oc_task_get', {
      task_id,
      include_result: true,
    });
    expect(
      result.steps.map((step) => step.replaceAll(site.origin, '').replace(/\?.*/, '')),
    ).toEqual([
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
    const written = (await everythingIn(result.folder)) + (await everythingIn(attached.home));
    expect(written).toContain('you typed');
    expect(written).not.toContain(PASSWORD);
    expect(written).not.toContain(encodeURIComponent(PASSWORD));
  });

  it('still sees words of other sites after a page entered them by script, and the password stays hidden', async () => {
    await page.goto(`${evil.origin}/`);
    const session = await page.context().newCDPSession(page);
    const { targetId: tabId } = (await session.send('Target.getTargetInfo')).targetInfo;
    await attached.grant(tabId);
    const { task_id } = await call<{ task_id: string }>('oc_task_start', {
      kind: 'recording',
      args: { tabId },
    });
    await expect
      .poll(
        () =>
          readFile(join(attached.home, 'tasks', task_id, 'screenshots.jsonl'), 'utf8').catch(
            () => '',
          ),
        { timeout: 15_000 },
      )
      .toContain('start');
    await page.evaluate('poison()');
    await page.goto(`${site.origin}/login`);
    await page.getByLabel('Password').click();
    await page.keyboard.type('pin-0815');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/in/);
    await page.goto(`${site.origin}/invoice`);
    await call('oc_task_cancel', { task_id });
    await call('oc_task_wait', { task_id });
    const shown = JSON.stringify(
      await call('javascript_tool', { tabId, code: '({ said: document.body.innerText })' }),
    );
    expect(shown).toContain('Overdue invoice Invoice-2026-0042-final, [redacted]');
    expect(await everythingIn(attached.home)).not.toContain('pin-0815');
  });
});
