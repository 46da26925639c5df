// A server that knows the key and sends what OpenChrome never sends: the extension rejects it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LinkHub } from '../../src/browser/extension/link-hub.ts';
import type { Pairing } from '../../src/browser/extension/link-proof.ts';
import { useSite } from '../fixtures.ts';
import { pair, startUserChrome, type UserChrome, type UserTab } from './user-chrome.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string };
}

const BANK_COOKIE = 'bank=secret; Max-Age=900; HttpOnly; SameSite=None; Secure';
const site = useSite({
  '/': '<title>Shop</title><h1>Welcome</h1>',
  '/diary': '<title>Diary</title><h1>Private</h1>',
  '/bank': (_, response) => response.setHeader('set-cookie', BANK_COOKIE).end('<title>Bank'),
  '/account': ({ headers }, response) => response.end(`account of ${headers.cookie}`),
});
/** Another site than that of the tab. */
const bankUrl = (path: string): string => `http://localhost:${site.port}${path}`;

let folder = '';
let chrome: UserChrome;
let hub: LinkHub | undefined;
let diary: UserTab;
let sendText: (text: string) => void;
let targetId = '';
let session = '';
const events: Message[] = [];
const waiting = new Map<number, (message: Message) => void>();
let lastId = 0;

const send = (method: string, params: Fields = {}, sessionId?: unknown): Promise<Message> =>
  new Promise((resolve) => {
    waiting.set(++lastId, resolve);
    sendText(JSON.stringify({ id: lastId, method, params, sessionId }));
  });
/** Sends a command to the tab of the agent. */
const sendToTab = (method: string, params: Fields = {}): Promise<Message> =>
  send(method, params, session);
const require = async (answer: Promise<Message>): Promise<Fields> => {
  const { result, error } = await answer;
  if (!result) throw new Error(error?.message);
  return result;
};
const evaluate = async (expression: string): Promise<unknown> => {
  const params = { expression, awaitPromise: true, returnByValue: true };
  const { result } = await require(sendToTab('Runtime.evaluate', params));
  return (result as { value?: unknown }).value;
};

const receive = (text: string): void => {
  const message = JSON.parse(text) as Message;
  if (message.id === undefined) events.push(message);
  else waiting.get(message.id)?.(message);
};

/** An extension of the user with a script in every page, for example a password manager. */
const loadPasswordManager = async (): Promise<void> => {
  const path = join(folder, 'password-manager');
  await mkdir(path);
  const manifest = {
    manifest_version: 3,
    name: 'Password manager',
    version: '1',
    background: { service_worker: 'worker.js' },
    content_scripts: [{ matches: ['<all_urls>'], js: ['script.js'] }],
  };
  await writeFile(join(path, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(
    join(path, 'script.js'),
    'globalThis.vault = "hunter2"; console.log("unlocked", globalThis);',
  );
  await writeFile(
    join(path, 'worker.js'),
    'chrome.runtime.onMessage.addListener((_, __, answer) => answer("hunter2"));',
  );
  await chrome.root.send('Extensions.loadUnpacked', { path });
};

const openPage = async (path: string): Promise<void> => {
  await require(sendToTab('Page.navigate', { url: `${site.origin}${path}` }));
  await vi.waitFor(
    async () =>
      expect(await evaluate('location.pathname + document.readyState')).toBe(`${path}complete`),
    { timeout: 30_000 },
  );
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  chrome = await startUserChrome(folder);
  await loadPasswordManager();
  const file = join(folder, 'extension.json');
  await pair(chrome, file);
  diary = await chrome.open(`${site.origin}/diary`);
  await chrome.open(bankUrl('/bank'));
  hub = await LinkHub.start(JSON.parse(await readFile(file, 'utf8')) as Pairing);
  const transport = await hub?.join('a'.repeat(16), AbortSignal.timeout(8_000));
  if (!transport) throw new Error('The port is in use.');
  transport.onMessage = receive;
  sendText = (text) => transport.send(text);
  await send('Target.setDiscoverTargets', { discover: true });
  targetId = String((await require(send('OpenChrome.openTab', { agent: 'a' })))['targetId']);
  const attached = await require(send('Target.attachToTarget', { targetId, flatten: true }));
  session = String(attached['sessionId']);
  await require(sendToTab('Runtime.enable'));
  await openPage('/');
});
afterAll(async () => {
  await hub?.close();
  await chrome?.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const REFUSED = { error: { code: -32_099 } };

it.each([
  ['Browser.close', {}],
  ['Browser.grantPermissions', { permissions: ['geolocation'] }],
  ['Extensions.loadUnpacked', { path: '/' }],
  ['Fetch.getResponseBody', { requestId: '1' }],
  ['Network.clearBrowserCookies', {}],
  ['Network.getAllCookies', {}],
  ['Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/' }],
  ['Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }],
  ['Storage.getCookies', {}],
  ['SystemInfo.getProcessInfo', {}],
  ['Target.attachToBrowserTarget', {}],
  ['Target.createTarget', { url: 'https://example.com' }],
  ['Target.exposeDevToolsProtocol', { targetId: 'a' }],
  ['Target.getTargets', {}],
  ['Target.sendMessageToTarget', { message: '{"id":1,"method":"Storage.getCookies"}' }],
  ['Tracing.start', {}],
])('%s is rejected, in a tab and for the whole of Chrome', async (method, params) => {
  expect(await sendToTab(method, params)).toMatchObject(REFUSED);
  expect(await send(method, params)).toMatchObject(REFUSED);
});

it.each([
  'file:///etc/passwd',
  'chrome://settings',
  'CHROME://settings',
  ' chrome://settings',
  'chrome-untrusted://terminal',
  'devtools://devtools/bundled/inspector.html',
  'view-source:http://127.0.0.1/',
  'javascript:alert(1)',
  'blob:chrome://settings/a',
  'blob:blob:chrome://settings/a',
  'filesystem:file:///temporary/a',
])('a tab does not open %s', async (url) => {
  expect(await sendToTab('Page.navigate', { url })).toMatchObject(REFUSED);
  expect(await sendToTab('Page.navigate', { url, frameId: targetId })).toMatchObject(REFUSED);
});

describe('a tab that is not granted', () => {
  it('cannot be attached or closed by its id, and is not reported', async () => {
    const gone = { error: { code: -32_602 } };
    const named = { targetId: diary.targetId, flatten: true };
    expect(await send('Target.attachToTarget', named)).toMatchObject(gone);
    expect(await send('Target.closeTarget', named)).toMatchObject(gone);
    expect(await send('OpenChrome.reportCall', named)).toMatchObject(gone);
    expect(JSON.stringify(events)).not.toMatch(/diary|Private/i);
  });

  it.each([null, 7, '', {}, 'another'])('cannot be used by the session %j', async (sessionId) => {
    const run = { expression: '1' };
    const gone = { error: { code: -32_001 } };
    expect(await send('Runtime.evaluate', run, sessionId)).toMatchObject(gone);
    expect(await send('Runtime.evaluate', run, diary.session.id)).toMatchObject(gone);
  });

  it('is not attached with the tab of the agent', async () => {
    const params = { autoAttach: true, waitForDebuggerOnStart: false };
    const nested = { ...params, flatten: false };
    expect(await sendToTab('Target.setAutoAttach', nested)).toMatchObject(REFUSED);
    await require(sendToTab('Target.setAutoAttach', { ...params, flatten: true, filter: [{}] }));
    const attached = events.filter(({ method }) => method === 'Target.attachedToTarget');
    expect(attached.map(({ params }) => params?.['targetInfo'])).toMatchObject([{ targetId }]);
  });
});

describe('another extension of the user', () => {
  it('does not report its scripts and messages', async () => {
    await openPage('/');
    const text = JSON.stringify(events);
    expect(text).not.toContain('Password manager');
    expect(text).not.toContain('unlocked');
  });

  /** The ids of contexts are small numbers. */
  const ids = Array.from({ length: 40 }, (_, id) => id);
  it.each([
    ['Runtime.evaluate', { expression: 'globalThis.vault' }, 'contextId'],
    [
      'Runtime.callFunctionOn',
      { functionDeclaration: '() => globalThis.vault' },
      'executionContextId',
    ],
  ])('runs no script of the server: %s', async (method, params, field) => {
    const answers = await Promise.all(
      ids.map((id) => sendToTab(method, { ...params, [field]: id })),
    );
    expect(answers.some(({ result }) => result !== undefined)).toBe(true);
    expect(JSON.stringify(answers)).not.toContain('hunter2');
  });

  it('does not give its objects', async () => {
    const node = await require(sendToTab('Runtime.evaluate', { expression: 'document.body' }));
    const { objectId } = node['result'] as { objectId: string };
    const described = await require(sendToTab('DOM.describeNode', { objectId }));
    const { backendNodeId } = described['node'] as { backendNodeId: number };
    const read = async (executionContextId: number): Promise<unknown> => {
      const { result } = await sendToTab('DOM.resolveNode', { backendNodeId, executionContextId });
      if (!result) return undefined;
      const { objectId: resolved } = result['object'] as { objectId: string };
      const functionDeclaration = 'function () { return globalThis.vault }';
      return sendToTab('Runtime.callFunctionOn', { functionDeclaration, objectId: resolved });
    };
    expect(JSON.stringify(await Promise.all(ids.map(read)))).not.toContain('hunter2');
  });
});

it('a script has no access to other origins', async () => {
  const world = { frameId: targetId, worldName: 'a', grantUniveralAccess: true };
  expect(await sendToTab('Page.createIsolatedWorld', world)).toMatchObject(REFUSED);
});

describe('the cookies of another site', () => {
  const readBank = async (): Promise<string> => {
    const { cookies } = await chrome.root.send('Storage.getCookies', {});
    return cookies.map(({ name, value }) => `${name}=${value}`).join();
  };

  it.each([
    ['Network.getCookies', { urls: ['http://localhost/'] }],
    ['Network.getCookies', { urls: ['http://127.0.0.1/', 'http://localhost/'] }],
    ['Network.deleteCookies', { name: 'bank', domain: 'localhost' }],
    ['Network.deleteCookies', { name: 'bank', url: 'http://localhost/' }],
    ['Network.setCookie', { name: 'bank', value: '', url: 'http://localhost/' }],
    ['Network.setCookies', { cookies: [{ name: 'bank', value: '', domain: 'localhost' }] }],
  ])('are not used by %s %j', async (method, params) => {
    expect(await sendToTab(method, params)).toMatchObject(REFUSED);
    expect(await readBank()).toBe('bank=secret');
  });

  /** A request of the page that the server has paused. */
  const pause = async (url: string): Promise<string> => {
    const isOf = ({ method, params }: Message): boolean =>
      method === 'Fetch.requestPaused' && JSON.stringify(params).includes(url);
    const before = events.filter(isOf).length;
    const options = `{ mode: 'no-cors', credentials: 'include' }`;
    const code = `void fetch('${url}', ${options}).then(async (answer) => {
      globalThis.answered = await answer.text();
    }, () => {}); globalThis.answered = undefined`;
    await evaluate(code);
    await expect.poll(() => events.filter(isOf).length).toBe(before + 1);
    return String(events.findLast(isOf)?.params?.['requestId']);
  };

  it('are not changed by the response to a request of the page', async () => {
    await require(sendToTab('Fetch.enable', { patterns: [{ urlPattern: '*' }] }));
    const expired = 'bank=; Max-Age=0; SameSite=None; Secure';
    const requestId = await pause(bankUrl('/account'));
    const respond = (fields: Fields): Promise<Message> =>
      sendToTab('Fetch.fulfillRequest', { requestId, responseCode: 200, ...fields });
    const injected = `a\r\nSet-Cookie: ${expired}`;
    const attempts = [
      { binaryResponseHeaders: Buffer.from(`Set-Cookie: ${expired}\0`).toString('base64') },
      { responseHeaders: [{ name: 'Set-Cookie ', value: expired }] },
      { responseHeaders: [{ name: 'a', value: injected }] },
      { responsePhrase: injected },
    ];
    for (const fields of attempts) expect(await respond(fields)).toMatchObject(REFUSED);
    await require(respond({ responseHeaders: [{ name: 'set-cookie', value: expired }] }));
    await expect.poll(() => evaluate('globalThis.answered')).toBe('');
    expect(await readBank()).toBe('bank=secret');
    const own = await pause(`${site.origin}/cart`);
    await require(
      sendToTab('Fetch.fulfillRequest', {
        requestId: own,
        responseCode: 200,
        responseHeaders: [{ name: 'Set-Cookie', value: 'cart=full' }],
      }),
    );
    await expect.poll(readBank).toContain('cart=full');
    await require(sendToTab('Fetch.disable'));
  });

  it('are not sent by a request of the page that the server redirects to it', async () => {
    await require(sendToTab('Fetch.enable', { patterns: [{ urlPattern: '*' }] }));
    const requestId = await pause(`${site.origin}/cart`);
    const url = bankUrl('/account');
    expect(await sendToTab('Fetch.continueRequest', { requestId, url })).toMatchObject(REFUSED);
    await require(sendToTab('Fetch.disable'));
    await expect.poll(() => evaluate('globalThis.answered')).toBe('not found');
  });

  it('are not sent with a file that the server loads', async () => {
    const options = { disableCache: true, includeCredentials: true };
    const params = { frameId: targetId, url: bankUrl('/account'), options };
    const { resource } = await require(sendToTab('Network.loadNetworkResource', params));
    const { stream } = resource as { stream: string };
    expect(await require(sendToTab('IO.read', { handle: stream }))).toMatchObject({
      data: 'account of undefined',
    });
  });
});

it('a message that is not a command does not end the link', async () => {
  sendText('null');
  sendText('{"id":1,"method":7}');
  sendText('[]');
  expect(await sendToTab('Page.navigate', null as unknown as Fields)).toHaveProperty('error');
  expect(await evaluate('document.title')).toBe('Shop');
});
