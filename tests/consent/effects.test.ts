// The owner's rules: every way to read, act, run scripts, use cookies, upload and download passes
// them.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { usePolicy } from './consent-site.ts';

const site = useSite({
  '/': '<title>Shop</title><button onclick="document.title=1">Buy</button><input type=file aria-label=File>',
  '/link': '<title>Links</title><a href="/away">Away</a>',
  '/api': (_, response) => response.end('{}'),
});
const bank = useSite({ '/': '<title>Bank</title><p>Balance 100</p><button>Pay</button>' });
const HOST = /^127\.0\.0\.1:\d+$/;

describe('deny rules for one host', () => {
  const engine = usePolicy(
    [
      { decision: 'deny', effect: 'script', domains: ['$HOST'] },
      { decision: 'deny', effect: 'cookies', domains: ['$HOST'] },
      { decision: 'deny', effect: 'upload', domains: ['$HOST'] },
      { decision: 'deny', effect: 'act', domains: ['$HOST'], tools: ['computer'] },
    ],
    site,
  );
  const denied = (effect: string) => ({ code: 'consent_denied', reason: 'policy', effect });

  it.each([
    ['javascript_tool', { code: '1' }, 'script'],
    ['wait_for', { function: 'true' }, 'script'],
    ['request_intercept', { action: 'mock', url: '*', body: 'x' }, 'script'],
    ['cookies', {}, 'cookies'],
    ['cookies', { all: true }, 'cookies'],
    ['cookies', { action: 'set', name: 'a', value: 'b' }, 'cookies'],
    ['storage', {}, 'cookies'],
    ['storage', { action: 'save', path: 'login.json' }, 'cookies'],
    ['oc_session_snapshot', {}, 'cookies'],
    ['computer', { action: 'left_click', coordinate: [5, 5] }, 'act'],
  ])('reject %s %j', async (tool, args, effect) => {
    await engine.text('navigate', { url: `${site.origin}/` });
    expect(await engine.failure(tool, args)).toMatchObject(denied(effect));
  });

  it.each([
    ['interact', { action: 'upload', query: 'File', value: 'note.txt' }],
    ['fill_form', { fields: [{ label: 'File', value: 'note.txt' }] }],
    ['act', { instruction: 'upload note.txt to File' }],
  ])('reject an upload with %s', async (tool, args) => {
    const path = join(engine.home, 'note.txt');
    await writeFile(path, 'text');
    await engine.text('navigate', { url: `${site.origin}/` });
    const given = JSON.parse(JSON.stringify(args).replaceAll('note.txt', path)) as object;
    expect(await engine.failure(tool, given)).toMatchObject(denied('upload'));
  });

  it('leave other effects and other hosts alone', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    expect(await engine.text('interact', { action: 'click', query: 'Buy' })).toContain('Buy');
    await engine.text('navigate', { url: `${bank.origin}/` });
    expect(await engine.text('javascript_tool', { code: '1+1' })).toBe('2');
  });
});

describe('a rule that denies to read a host', () => {
  const engine = usePolicy([{ decision: 'deny', effect: 'read', domains: ['$HOST'] }], bank);

  it('rejects opening, crawling and acting there', async () => {
    const url = `${bank.origin}/`;
    for (const [tool, args] of [
      ['navigate', { url }],
      ['tabs', { action: 'new', url }],
      ['crawl', { url }],
      ['validate_page', { url }],
    ] as const)
      expect(await engine.failure(tool, args)).toMatchObject({
        code: 'consent_denied',
        effect: 'read',
        host: expect.stringMatching(HOST) as string,
      });
  });

  it('rejects the reply of a call that ends there by a redirect or a link', async () => {
    site.page('/away', (_, response) => {
      response.writeHead(302, { location: `${bank.origin}/` });
      response.end();
    });
    const opened = await engine.failure('navigate', { url: `${site.origin}/away` });
    expect(opened.code).toBe('consent_denied');
    expect(JSON.stringify(opened)).not.toContain('Balance');
    expect(await engine.failure('read_page')).toMatchObject({ code: 'consent_denied' });
    await engine.text('navigate', { url: `${site.origin}/link` });
    expect(
      await engine.failure('interact', { action: 'click', query: 'Away', returnAfterState: 'ax' }),
    ).toMatchObject({ code: 'consent_denied' });
  });

  it('rejects a background crawl of the host', async () => {
    const { task_id: id } = await engine.json<{ task_id: string }>('oc_task_start', {
      kind: 'crawl',
      args: { url: `${bank.origin}/` },
    });
    const ended = await engine.json<{ status: string; error?: { code: string } }>('oc_task_wait', {
      task_id: id,
    });
    expect(ended).toMatchObject({ status: 'FAILED', error: { code: 'consent_denied' } });
  });
});

describe('a rule that asks before actions', () => {
  const engine = usePolicy([{ decision: 'ask', effect: 'act' }], site);
  const { user } = engine;
  const click = () => engine.reply('interact', { action: 'click', query: 'Buy' });

  it('lets an approval for the session cover later actions there, until it is revoked', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    const first = click();
    expect((await user.approve('session')) as object).toMatchObject({
      effect: 'act',
      summary: expect.stringContaining('interact wants to act on 127.0.0.1') as string,
    });
    expect((await first).failure).toBeUndefined();
    expect((await click()).failure).toBeUndefined();
    const waiting = await engine.engine.waiting();
    const [approval] = await waiting.approvals();
    expect(approval).toMatchObject({ effect: 'act', scope: 'session', session: 'default' });
    await waiting.revoke(approval?.id ?? '');
    const again = click();
    await user.deny();
    expect((await again).failure?.code).toBe('consent_denied');
  });

  it('stores an approval for the host in a private file and records it in the journal', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    const reply = click();
    const { id } = await user.approve('always');
    expect((await reply).failure).toBeUndefined();
    const stored = JSON.parse(
      await readFile(join(engine.home, 'approvals.json'), 'utf8'),
    ) as object;
    expect(stored).toMatchObject({ approvals: [{ effect: 'act', scope: 'always' }] });
    const entries = await engine.json<object[]>('oc_journal', { count: 20 });
    expect(entries).toContainEqual(
      expect.objectContaining({ event: 'approval', id, outcome: 'approved', scope: 'always' }),
    );
    for (const { id: stale } of await (await engine.engine.waiting()).approvals())
      await (await engine.engine.waiting()).revoke(stale);
  });

  it('asks two questions at once, each with its own answer', async () => {
    const [one, two] = await Promise.all([
      engine.json<{ tabId: string }>('tabs', { action: 'new', url: `${site.origin}/` }),
      engine.json<{ tabId: string }>('tabs', { action: 'new', url: `${bank.origin}/` }),
    ]);
    const replies = [
      engine.reply('interact', { action: 'click', query: 'Buy', tabId: one?.tabId }),
      engine.reply('interact', { action: 'click', query: 'Pay', tabId: two?.tabId }),
    ];
    await expect.poll(async () => (await user.open()).length).toBe(2);
    const open = await user.open();
    const waiting = await engine.engine.waiting();
    for (const item of open)
      await waiting.answer(item.id, { allow: item.tabId === one?.tabId }, 'dashboard');
    const [first, second] = await Promise.all(replies);
    expect(first?.failure).toBeUndefined();
    expect(second?.failure?.code).toBe('consent_denied');
  });

  it('rejects an answer after the question has ended', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    const reply = engine.reply('interact', {
      ...{ action: 'click', query: 'Buy', timeout_ms: 1_500 },
    });
    const { id } = await user.question();
    expect((await reply).failure?.code).toBe('consent_denied');
    const waiting = await engine.engine.waiting();
    await expect(waiting.answer(id, { allow: true }, 'dashboard')).rejects.toMatchObject({
      code: 'waiting_not_found',
    });
  });

  it('asks again on the host that a script of steps has reached', async () => {
    site.page('/next', `<title>Next</title><a href="${bank.origin}/">Bank</a>`);
    await engine.text('navigate', { url: `${site.origin}/next` });
    const reply = engine.reply('act', { instruction: 'click Bank; click Pay' });
    await user.approve();
    const second = await user.deny();
    expect(second).toMatchObject({ host: `127.0.0.1:${bank.port}` });
    expect((await reply).failure?.code).toBe('consent_denied');
  });

  it('rejects a replay of a request if the user denies it', async () => {
    site.page('/page', '<title>Page</title><script>fetch("/api")</script>');
    await engine.text('navigate', { url: `${site.origin}/page`, waitUntil: 'networkidle' });
    const { entries } = await engine.json<{ entries: { key: string }[] }>('network');
    const key = entries.find((entry) => entry.key.includes('/api'))?.key;
    const reply = engine.reply('network', { replay: key });
    await user.deny();
    expect((await reply).failure?.code).toBe('consent_denied');
  });
});

describe('a rule that asks before downloads', () => {
  const engine = usePolicy([{ decision: 'ask', effect: 'download' }], site);
  const { user } = engine;
  const download = async () => {
    site.page('/report', '<title>Report</title><a href="/report.csv">Report</a>');
    site.page('/report.csv', (_, response) => {
      response.writeHead(200, { 'content-disposition': 'attachment', 'content-type': 'text/csv' });
      response.end('a,b');
    });
    await engine.text('navigate', { url: `${site.origin}/report` });
    return engine.reply('interact', { action: 'click', query: 'Report' });
  };

  it('removes the file if the user denies it', async () => {
    const reply = download();
    expect(await user.deny()).toMatchObject({ effect: 'download' });
    expect((await reply).failure?.code).toBe('consent_denied');
    await expect.poll(() => readdir(join(engine.home, 'downloads')).catch(() => [])).toEqual([]);
  });

  it('keeps the file if the user approves it', async () => {
    const reply = download();
    await user.approve();
    expect((await reply).failure).toBeUndefined();
    await expect
      .poll(() => readdir(join(engine.home, 'downloads')).catch(() => []))
      .toEqual(['report.csv']);
  });
});
