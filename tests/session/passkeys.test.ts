// Passkeys: a session registers and signs in with a virtual authenticator, and a saved login
// restores its passkeys after a restart.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { engineCalls, useEngine, useSite } from '../fixtures.ts';

/** A site that accepts each signature of a registered key whose counter has grown. */
const PAGE = `<title>Site</title>
<button id="register">Register</button> <button id="sign-in">Sign in</button> <p role="status"></p>
<script>
  const bytes = () => crypto.getRandomValues(new Uint8Array(32));
  const show = (text) => { document.querySelector('p').textContent = text; };
  const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
  const report = (error) => show('failed: ' + error.name);
  document.querySelector('#register').onclick = async () => {
    const made = await navigator.credentials.create({ publicKey: {
      challenge: bytes(), rp: { name: 'Site' },
      user: { id: new Uint8Array([7]), name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    } }).catch(report);
    if (!made) return;
    const key = encode(made.response.getPublicKey());
    await fetch('/register', { method: 'POST', body: JSON.stringify({ id: made.id, key }) });
    show('registered');
  };
  document.querySelector('#sign-in').onclick = async () => {
    const challenge = bytes();
    const used = await navigator.credentials.get({ publicKey: { challenge } }).catch(report);
    if (!used) return;
    const { authenticatorData, clientDataJSON, signature } = used.response;
    const body = JSON.stringify({
      id: used.id, data: encode(authenticatorData), client: encode(clientDataJSON),
      signature: encode(signature),
    });
    show(await (await fetch('/sign-in', { method: 'POST', body })).text());
  };
</script>`;

interface SignIn {
  readonly id: string;
  readonly data: string;
  readonly client: string;
  readonly signature: string;
}
const keys = new Map<string, { readonly key: string; counter: number }>();

const checkSignIn = async ({ id, data, client, signature }: SignIn): Promise<string> => {
  const known = keys.get(id);
  if (!known) return 'unknown passkey';
  const decode = (text: string): Buffer => Buffer.from(text, 'base64');
  const { createHash, createPublicKey, verify } = await import('node:crypto');
  const key = createPublicKey({ key: decode(known.key), format: 'der', type: 'spki' });
  const hash = createHash('sha256').update(decode(client)).digest();
  const signed = Buffer.concat([decode(data), hash]);
  if (!verify('sha256', signed, key, decode(signature))) return 'wrong signature';
  const counter = decode(data).readUInt32BE(33);
  if (counter <= known.counter) return 'the counter did not grow';
  known.counter = counter;
  return 'signed in';
};

const site = useSite();
const readBody = async (request: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
};
site.page('/', PAGE);
site.page('/register', (request, response) => {
  void readBody(request).then((body) => {
    const { id, key } = JSON.parse(body) as { id: string; key: string };
    keys.set(id, { key, counter: 0 });
    response.end('ok');
  });
});
site.page('/sign-in', (request, response) => {
  void readBody(request)
    .then((body) => checkSignIn(JSON.parse(body) as SignIn))
    .then((text) => response.end(text));
});

const engine = useEngine();
type Calls = Pick<typeof engine, 'text' | 'json' | 'failure'>;

/** An IP address cannot have passkeys. */
const open = (session: string, calls: Calls = engine): Promise<string> =>
  calls.text('navigate', { session, url: `http://localhost:${site.port}/` });
const press = async (session: string, name: string, calls: Calls = engine): Promise<string> => {
  await calls.text('javascript_tool', {
    session,
    code: `document.querySelector('p').textContent = ''; 1`,
  });
  await calls.text('interact', { session, action: 'click', query: name });
  const status = `document.querySelector('p').textContent`;
  await calls.text('wait_for', { session, function: `${status} !== ''` });
  return calls.text('javascript_tool', { session, code: status });
};

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('passkeys', () => {
  const replies: string[] = [];

  it('are created and used in all tabs of a session, and in no other session', async () => {
    await open('ada');
    replies.push(await engine.text('passkeys', { session: 'ada', action: 'on' }));
    expect(await press('ada', 'Register')).toBe('registered');
    expect(await press('ada', 'Sign in')).toBe('signed in');
    replies.push(await engine.text('passkeys', { session: 'ada' }));
    expect(JSON.parse(replies.at(-1) ?? '')).toMatchObject({
      authenticator: 'on',
      passkeys: [{ site: 'localhost', user: 'ada', sign_count: 2 }],
    });
    await engine.text('tabs', {
      session: 'ada',
      action: 'new',
      url: `http://localhost:${site.port}/`,
    });
    expect(await press('ada', 'Sign in')).toBe('signed in');
    const { tabs } = await engine.json<{ tabs: { tabId: string }[] }>('tabs_context', {
      session: 'ada',
    });
    await engine.text('tabs', { session: 'ada', action: 'select', tabId: tabs[0]?.tabId });
    expect(await press('ada', 'Sign in')).toBe('signed in');
    await open('bob');
    await engine.text('passkeys', { session: 'bob', action: 'on' });
    expect(await press('bob', 'Sign in')).toContain('failed');
  });

  it('are saved with a login and restored after a restart of everything', async () => {
    const saved = await engine.text('storage', { session: 'ada', action: 'save', login: 'ada' });
    replies.push(saved);
    expect(JSON.parse(saved)).toMatchObject({ passkeys: 1 });
    const later = createEngine({
      config: resolveConfig({ flags: ['--headless', '--isolated'], env: process.env }),
      home: { ...resolveHome({ OPENCHROME_HOME: engine.home }), browsers: resolveHome().browsers },
    });
    const calls = engineCalls(() => later);
    try {
      replies.push(await calls.text('sessions', { action: 'open', name: 'new', login: 'ada' }));
      await open('new', calls);
      expect(await press('new', 'Sign in', calls)).toBe('signed in');
    } finally {
      await later.stop();
    }
  });

  it('can be removed, and turned off', async () => {
    const { passkeys } = await engine.json<{ passkeys: { id: string }[] }>('passkeys', {
      session: 'ada',
    });
    const id = passkeys[0]?.id;
    expect(await engine.json('passkeys', { session: 'ada', action: 'remove', id })).toMatchObject({
      passkeys: [],
    });
    expect(await press('ada', 'Sign in')).toContain('failed');
    expect(
      await engine.failure('passkeys', { session: 'ada', action: 'remove', id }),
    ).toMatchObject({ code: 'invalid_argument', argument: 'id' });
    expect(await engine.json('passkeys', { session: 'ada', action: 'off' })).toMatchObject({
      authenticator: 'off',
    });
  });

  it('have private keys in no reply, and in no file except the login', async () => {
    const login = join(engine.home, 'logins', 'ada.json');
    const { passkeys } = JSON.parse(await readFile(login, 'utf8')) as {
      passkeys: { privateKey: string }[];
    };
    const key = passkeys[0]?.privateKey ?? '';
    expect(key.length).toBeGreaterThan(100);
    expect(replies.join()).not.toContain(key.slice(0, 40));
    for (const file of await listFiles(engine.home)) {
      if (file === login) continue;
      expect((await readFile(file)).includes(key.slice(0, 40)), file).toBe(false);
    }
    expect(replies.join()).not.toContain('privateKey');
  });
});
