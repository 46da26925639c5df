// "Waiting for you": the user approves, denies and helps in the dashboard, in a real Chrome.
import { describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useDashboard } from './dashboard-viewer.ts';

const received: string[] = [];
const site = useSite({
  '/shop': '<title>Shop</title><form method="post" action="/order"><button>Buy</button></form>',
  '/order': (request, response) => {
    received.push(request.method ?? '');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Ordered</title><h1>Thank you</h1>');
  },
});
const board = useDashboard({ ownerFile: { policy: [{ decision: 'ask', effect: 'submit' }] } });
const { viewer, openView, waitFor, waitUntil, click, press, tabTo, run, setWidth, audit } = board;

const HAS_QUESTION = 'document.querySelector(".waiting-card") !== null';

/** Starts to submit the form; resolves with the reply. */
const buy = async (): Promise<() => Promise<string>> => {
  received.length = 0;
  await board.server.call('navigate', { url: `${site.origin}/shop` });
  const reply = board.server.call('interact', { action: 'click', query: 'Buy' });
  await openView('waiting');
  await waitUntil(HAS_QUESTION);
  expect(received).toEqual([]);
  return () => reply;
};

const askForHelp = async (reason: string): Promise<string> => {
  await board.server.call('navigate', { url: `${site.origin}/shop` });
  const started = await board.server.call('oc_task_start', {
    kind: 'oc_handoff',
    args: { reason },
  });
  await openView('waiting');
  await waitFor(reason);
  return (JSON.parse(started) as { task_id: string }).task_id;
};

const readOutcome = async (task_id: string): Promise<unknown> => {
  await board.server.call('oc_task_wait', { task_id, timeout_ms: 20_000 });
  const details = await board.server.call('oc_task_get', { task_id, include_result: true });
  return (JSON.parse(details) as { result?: { outcome?: string } }).result?.outcome;
};

describe.each([380, 1440])('at %d pixels the user', (width) => {
  it('approves a form once, and it is sent', async () => {
    await setWidth(width);
    const reply = await buy();
    expect(await audit()).toEqual({ violations: [], overflow: 0 });
    await click('Allow once');
    expect(await reply()).toContain('/order');
    expect(received).toEqual(['POST']);
    await waitFor('Nothing waits for you');
  });

  it('denies a form, and it is not sent', async () => {
    await setWidth(width);
    const reply = await buy();
    await click('Deny');
    expect(await reply()).toContain('consent_denied');
    expect(received).toEqual([]);
    await waitFor('Nothing waits for you');
  });

  it('answers a hand-off with Done and with Can’t', async () => {
    await setWidth(width);
    const first = await askForHelp('Enter the code from your phone');
    expect(await audit()).toEqual({ violations: [], overflow: 0 });
    await click('Done');
    expect(await readOutcome(first)).toBe('done');
    await waitFor('Nothing waits for you');
    const second = await askForHelp('Solve the captcha');
    await click("Can't");
    expect(await readOutcome(second)).toBe('cant');
    await waitFor('Nothing waits for you');
  });
});

it('an approval for the host applies to later calls until the user revokes it', async () => {
  const first = await buy();
  await click(`Always allow on 127.0.0.1:${site.port}`);
  expect(await first()).toContain('/order');
  await waitFor('Decisions that apply');
  await board.server.call('navigate', { url: `${site.origin}/shop` });
  expect(await board.server.call('interact', { action: 'click', query: 'Buy' })).toContain(
    '/order',
  );
  await click('Revoke');
  await waitUntil('document.querySelector(".decisions") === null');
  const again = await buy();
  await click('Deny');
  expect(await again()).toContain('consent_denied');
});

it('the user approves, denies and ends a hand-off by keyboard alone', async () => {
  const approved = await buy();
  await tabTo((name) => name === 'Allow once');
  await press('Enter');
  expect(await approved()).toContain('/order');
  const denied = await buy();
  await tabTo((name) => name === 'Deny');
  await press('Enter');
  expect(await denied()).toContain('consent_denied');
  const task = await askForHelp('Choose a seat');
  await tabTo((name) => name === 'Done');
  await press('Enter');
  expect(await readOutcome(task)).toBe('done');
});

it('a click on a card that has just appeared or moved does not answer it', async () => {
  await board.server.call('navigate', { url: `${site.origin}/shop` });
  await openView('waiting');
  await waitFor('Nothing waits for you');
  await run(`window.clicked = new Promise((done) => new MutationObserver(() => {
    const button = document.querySelector('.waiting-card .button');
    if (button) done(button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })));
  }).observe(document.querySelector('main'), { childList: true, subtree: true })); return 1`);
  await board.server.call('javascript_tool', {
    code: 'setTimeout(() => confirm("OpenChrome: press OK"), 0); return 1',
  });
  expect(await run('return window.clicked')).toBe(true);
  await waitUntil(`document.querySelector('.waiting-card [aria-disabled=false]') !== null`);
  const shown = await viewer.text('read_page', {});
  expect(shown).toContain('The page says:');
  expect(shown).toContain('OpenChrome: press OK');
  expect(await run('return document.title')).toBe('(1) Waiting for you - OpenChrome');
  await click('OK');
  await waitFor('Nothing waits for you');
  expect(await run('return document.title')).toBe('Waiting for you - OpenChrome');
});

it('a read-only dashboard shows questions without buttons, and rejects answers', async () => {
  const readonly = await board.start({
    home: board.server.home,
    flags: ['--dashboard-readonly', '--isolated'],
  });
  const reply = await buy();
  await viewer.json('navigate', { url: readonly.url });
  await viewer.json('navigate', { url: `${readonly.origin}/#/waiting` });
  await waitUntil(HAS_QUESTION);
  expect(await viewer.text('read_page', {})).not.toContain('Allow once');
  await openView('waiting');
  await waitFor('Allow once');
  await click('Deny');
  expect(await reply()).toContain('consent_denied');
});
