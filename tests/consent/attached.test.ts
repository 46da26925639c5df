// The owner's rules, take-over and hand-offs in a Chrome that another process started.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { type ForeignChrome, startForeignChrome } from '../foreign-chrome.ts';
import { usePolicy } from './consent-site.ts';

const received: string[] = [];
const FORM =
  '<form method="post" action="/order"><input name="item" value="book"><button>Buy</button></form>';
const site = useSite({
  '/': `<title>Shop</title>${FORM}`,
  '/own': `<title>Own tab</title>${FORM}<script>document.forms[0].submit()</script>`,
  '/order': (request, response) => {
    received.push(`${request.method} ${request.headers.referer ?? ''}`);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Ordered</title>');
  },
});

let chrome: ForeignChrome;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-attached-'));
  chrome = await startForeignChrome(join(folder, 'profile'));
});
afterAll(async () => {
  await chrome.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const engine = usePolicy(
  [
    { decision: 'deny', effect: 'script', domains: ['$HOST'] },
    { decision: 'ask', effect: 'submit' },
  ],
  site,
  () => ['--attach', chrome.url, '--allow-private-network'],
);
const { user } = engine;

beforeEach(() => void received.splice(0));

const open = (): Promise<{ tabId: string }> =>
  engine.json('tabs', { action: 'new', url: `${site.origin}/` });
const buy = () => engine.reply('interact', { action: 'click', query: 'Buy' });

it('a form is sent only after the user approved it', async () => {
  await open();
  const reply = buy();
  expect(await user.question()).toMatchObject({ effect: 'submit', tool: 'interact' });
  expect(received).toEqual([]);
  await user.approve();
  expect((await reply).failure).toBeUndefined();
  expect(received).toEqual([`POST ${site.origin}/`]);
});

it('a form that the user denies is not sent, and the page stays', async () => {
  await open();
  const reply = buy();
  await user.deny();
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
  expect(await engine.text('read_page')).toContain('Buy');
});

it('a rule that denies scripts applies', async () => {
  await open();
  expect(await engine.failure('javascript_tool', { code: '1' })).toMatchObject({
    code: 'consent_denied',
    effect: 'script',
  });
});

it('a form in a tab that no session uses is sent without a question', async () => {
  await open();
  const { host } = new URL(chrome.url);
  await fetch(`http://${host}/json/new?${site.origin}/own`, { method: 'PUT' });
  await expect.poll(() => received).toEqual([`POST ${site.origin}/own`]);
  expect(await user.open()).toEqual([]);
});

it('a user takes a tab over, and an agent asks for help', async () => {
  const { tabId } = await open();
  const takeOver = await engine.engine.takeOver();
  const signal = AbortSignal.timeout(20_000);
  await takeOver.begin(tabId, 'viewer', signal);
  expect(
    await engine.failure('interact', { action: 'hover', query: 'Buy', timeout_ms: 500 }),
  ).toMatchObject({ code: 'human_has_control' });
  await takeOver.giveBack(tabId, 'viewer');
  const reply = engine.json<{ outcome: string }>('oc_handoff', { reason: 'Log in' });
  const { id } = await user.question();
  await (await engine.engine.waiting()).finishHandoff(id, 'done', 'dashboard');
  expect(await reply).toMatchObject({ outcome: 'done' });
});
