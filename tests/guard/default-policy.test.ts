// Without any list: private and metadata addresses are out of reach, by number and by name; this
// machine and the rest of the world are not.
import { describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { lookUp, route, useSites } from './sites.ts';

const sites = useSites();

describe('by default', () => {
  const engine = useEngine([], { lookUp, route });

  it.each([
    ['http://10.0.0.1/', 'private_address', '--allow-private-network'],
    ['http://0xC0A80101/', 'private_address', '--allow-private-network'],
    ['http://[fe80::1]/', 'private_address', '--allow-private-network'],
    ['http://169.254.169.254/latest/meta-data/', 'metadata', 'always blocked'],
    ['http://metadata.google.internal/', 'metadata', 'always blocked'],
  ])('%s is not opened', async (url, reason, hint) => {
    const failure = await engine.failure('navigate', { url });
    expect(failure).toMatchObject({ code: 'domain_not_allowed', reason });
    expect(failure.hint).toContain(hint);
  });

  it.each([
    ['file:///etc/passwd', '--allow-file-access'],
    ['chrome://version', '--allow-scheme chrome'],
    ['javascript:alert(1)', '--allow-scheme javascript'],
    ['data:text/html,<h1>x</h1>', '--allow-scheme data'],
  ])('%s is not opened, and the flag is named', async (url, flag) => {
    const failure = await engine.failure('navigate', { url });
    expect(failure.code).toBe('url_not_allowed');
    expect(failure.hint).toContain(flag);
  });

  it.each([
    ['http://inside.test/', 'private_address', '10.99.0.1'],
    ['https://inside.test/', 'private_address', '10.99.0.1'],
    ['http://metadata.test/', 'metadata', '169.254.169.254'],
  ])(
    '%s, a name that resolves to such an address, is not connected to',
    async (url, reason, address) => {
      expect(await engine.failure('navigate', { url })).toMatchObject({
        code: 'domain_not_allowed',
        reason,
        address,
        retryable: false,
      });
    },
  );

  it('a redirect, a fetch, a frame and a socket to a private name or address are refused, reported and journalled', async () => {
    await engine.text('navigate', { url: `${sites.home}/` });
    const reply = await engine.reply('javascript_tool', {
      code: `const outcome = await Promise.all([
        fetch('http://inside.test/f', { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
        fetch('http://10.99.0.2/f', { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
        new Promise((done) => { const w = new WebSocket('ws://inside.test/w'); w.onopen = () => done('reached'); w.onerror = () => done('refused'); }),
        new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done('refused'); f.src = 'http://inside.test/frame'; document.body.append(f); }),
      ]); return outcome.join()`,
    });
    expect(reply.text).toContain('refused,refused,refused,refused');
    expect(reply.notes.join()).toMatch(
      /refused by the domain guard: .*inside\.test.*its address 10\.99\.0\.1 is a private address/,
    );
    const to = encodeURIComponent('http://inside.test/redirected');
    expect(
      await engine.failure('navigate', { url: `${sites.home}/redirect?to=${to}` }),
    ).toMatchObject({ code: 'domain_not_allowed' });
    const entries = await engine.json<{ event?: string; what?: string; host?: string }[]>(
      'oc_journal',
      { count: 100 },
    );
    const refused = entries
      .filter(({ event }) => event === 'guard_refused')
      .map(({ what, host }) => `${what} ${host}`);
    expect(refused).toEqual(
      expect.arrayContaining([
        'fetch inside.test',
        'fetch 10.99.0.2',
        'websocket inside.test',
        'frame inside.test',
        'navigation inside.test',
      ]),
    );
    expect(await engine.text('network', { all: true, limit: 200 })).toMatch(
      /inside\.test[^}]*fail by guard/,
    );
  });

  it('names go through the proxy to public machines and to this one, and failures keep their own names', async () => {
    const { port } = new URL(sites.home);
    expect(await engine.json('navigate', { url: `http://home.test:${port}/` })).toMatchObject({
      title: 'home',
      status: 200,
    });
    expect(await engine.failure('navigate', { url: 'http://nowhere.test/' })).toMatchObject({
      code: 'dns_failed',
      net_error: 'ERR_NAME_NOT_RESOLVED',
      retryable: false,
    });
    expect(await engine.failure('navigate', { url: 'http://home.test:9/' })).toMatchObject({
      code: 'navigation_failed',
    });
  });

  it.each([
    'rebinding.test',
    'rebinding6.test',
    'mapped.test',
    'unspecified.test',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
  ])(
    'A server of this machine is not reached as %s, and the failure explains how to reach it.',
    async (host) => {
      const before = sites.homePaths().length;
      const failure = await engine.failure('navigate', {
        url: `http://${host}:${new URL(sites.home).port}/secret`,
      });
      expect(failure).toMatchObject({
        code: 'domain_not_allowed',
        reason: 'this_machine',
        retryable: false,
      });
      expect(failure.hint).toContain('localhost');
      expect(sites.homePaths().slice(before)).not.toContain('/secret');
    },
  );

  it.each(['localhost', '127.0.0.1', 'app.localhost'])(
    'A server of this machine is reached as %s.',
    async (host) => {
      expect(
        await engine.text('navigate', { url: `http://${host}:${new URL(sites.home).port}/` }),
      ).toContain('home');
    },
  );

  it.each([
    'rebinding.test',
    'unspecified.test',
    '0.0.0.0',
    '[::]',
    '[::ffff:127.0.0.1]',
    '127.0.0.1',
    'localhost',
  ])(
    'A page of a public site does not reach a server of this machine as %s: by fetch, socket or frame.',
    async (host) => {
      const { port } = new URL(sites.home);
      await engine.text('navigate', { url: `http://home.test:${port}/` });
      const before = sites.homePaths().length;
      const reply = await engine.reply('javascript_tool', {
        code: `const at = '${host}:${port}/stolen'; return (await Promise.all([
          fetch('http://' + at, { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
          new Promise((done) => { const w = new WebSocket('ws://' + at); w.onopen = () => done('reached'); w.onerror = () => done('refused'); }),
          new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done('loaded'); f.src = 'http://' + at; document.body.append(f); }),
        ])).join()`,
      });
      expect(reply.text).toContain('refused,refused,loaded');
      expect(sites.homePaths().slice(before)).not.toContain('/stolen');
    },
  );

  it('the health reports how Chrome is restricted', async () => {
    expect(await engine.json('oc_connection_health')).toMatchObject({
      chrome: { guard: expect.stringContaining('proxy') },
    });
  });
});

describe('with --allow-private-network', () => {
  const engine = useEngine(['--allow-private-network'], { lookUp, route });

  it('metadata stays out of reach, by name too', async () => {
    expect(await engine.failure('navigate', { url: 'http://169.254.169.254/' })).toMatchObject({
      reason: 'metadata',
    });
    expect(await engine.failure('navigate', { url: 'http://metadata.test/' })).toMatchObject({
      reason: 'metadata',
      address: '169.254.169.254',
    });
  });
});

describe('A rule that contains a name of this machine', () => {
  const engine = useEngine(['--allow-domains', 'rebinding.test,*'], { lookUp, route });

  it('opens that name and no other.', async () => {
    const { port } = new URL(sites.home);
    expect(await engine.text('navigate', { url: `http://rebinding.test:${port}/` })).toContain(
      'home',
    );
    expect(await engine.text('navigate', { url: `http://home.test:${port}/` })).toContain('home');
    expect(
      await engine.failure('navigate', { url: `http://unspecified.test:${port}/` }),
    ).toMatchObject({ reason: 'this_machine' });
  });
});

describe.each(['localhost', '127.0.0.1'])('With --block-domains %s', (blocked) => {
  const engine = useEngine(['--block-domains', blocked], { lookUp, route });

  it.each([
    'localhost',
    'app.localhost',
    '127.0.0.1',
    '127.0.0.9',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'rebinding.test',
  ])('this machine is not reached as %s: by navigation, fetch or socket.', async (host) => {
    const { port } = new URL(sites.home);
    const before = sites.homePaths().length;
    expect(await engine.failure('navigate', { url: `http://${host}:${port}/` })).toMatchObject({
      reason: 'blocked',
    });
    await engine.text('navigate', { url: `${sites.awayByName}/` });
    const reply = await engine.reply('javascript_tool', {
      code: `const at = '${host}:${port}/stolen'; return (await Promise.all([
          fetch('http://' + at, { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
          new Promise((done) => { const w = new WebSocket('ws://' + at); w.onopen = () => done('reached'); w.onerror = () => done('refused'); }),
        ])).join()`,
    });
    expect(reply.text).toContain('refused,refused');
    expect(sites.homePaths().slice(before)).not.toContain('/stolen');
  });
});

describe('with --allow-scheme', () => {
  const engine = useEngine(['--allow-scheme', 'data']);

  it('data: pages are opened', async () => {
    expect(await engine.text('navigate', { url: 'data:text/html,<title>own</title>' })).toContain(
      'own',
    );
    expect(await engine.failure('navigate', { url: 'chrome://version' })).toMatchObject({
      code: 'url_not_allowed',
    });
  });
});

describe('the proxy', () => {
  const engine = useEngine([], { lookUp, route });

  it('ends with its Chrome, and starts with the next', async () => {
    await engine.text('navigate', { url: `${sites.home}/` });
    await engine.text('oc_stop');
    const { port } = new URL(sites.home);
    expect(await engine.text('navigate', { url: `http://home.test:${port}/` })).toContain('home');
  });
});
