// A request issued again from inside the page: with its cookies, with other variables, and never by
// accident.
import { beforeAll, describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();
const key = (method: string, path: string): string => `${method} 127.0.0.1:${site.port}${path}`;

beforeAll(async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  await engine.text('javascript_tool', {
    code: `document.cookie = 'theme=dark';
      await fetch('/echo?page=1', { headers: { 'x-own': 'yes' } });
      await fetch('/echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ operationName: 'Search', variables: { q: 'a', n: 1 } }) });
      await fetch('/no-such-thing').catch(() => 1);
      await fetch('http://localhost:${site.port}/no-cors').catch(() => 1); 1`,
  });
});

describe('a replay', () => {
  it("of a GET has the page's cookies and its own headers, and other parameters on request", async () => {
    const again = await engine.json('network', {
      replay: key('GET', '/echo'),
      args: { page: 2 },
      reveal: false,
    });
    expect(again).toMatchObject({
      key: `${key('GET', '/echo')}#2`,
      replayed: key('GET', '/echo'),
      method: 'GET',
      url: `${site.origin}/echo?page=2`,
      status: 200,
      ct: 'application/json',
      shape: { $: 'object', '$.url': 'string' },
      body: { url: '/echo?page=2', headers: { 'x-own': 'yes', cookie: '[redacted]' } },
    });
  });

  it('of anything else needs a confirmation', async () => {
    expect(await engine.failure('network', { replay: 'Search' })).toMatchObject({
      code: 'confirmation_required',
      key: 'Search',
    });
    const again = await engine.json<{ body: { body: string } }>('network', {
      replay: 'Search',
      args: { q: 'b' },
      confirm: true,
    });
    expect(JSON.parse(again.body.body)).toEqual({
      operationName: 'Search',
      variables: { q: 'b', n: 1 },
    });
  });

  it('returns only a part if a path is set', async () => {
    expect(
      await engine.json('network', { replay: key('GET', '/echo'), path: '$.url' }),
    ).toMatchObject({
      status: 200,
      path: '$.url',
      body: '/echo?page=1',
    });
  });

  it('that gets no response reports the reason', async () => {
    const failure = await engine.failure('network', {
      replay: `GET localhost:${site.port}/no-cors`,
    });
    expect(failure).toMatchObject({
      code: 'replay_failed',
      message: expect.stringContaining('net::ERR_FAILED'),
    });
  });

  it('of an unknown key names the nearest ones', async () => {
    expect(await engine.failure('network', { replay: 'Serch', confirm: true })).toMatchObject({
      code: 'key_not_found',
      available_keys: expect.arrayContaining(['Search']),
    });
  });

  it('needs the page to be open', async () => {
    await engine.text('navigate', { url: 'about:blank' });
    expect(await engine.failure('network', { replay: key('GET', '/echo') })).toMatchObject({
      code: 'replay_failed',
      message: expect.stringContaining('No page of its origin is open'),
    });
  });
});
