// Access to the dashboard: tickets, cookies, Host and Origin checks, and its headers.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, send, startDashboard, takeAccess } from './dashboard-server.ts';

const DATA_PATHS = [
  '/dashboard/state',
  '/dashboard/events',
  '/dashboard/calls',
  '/dashboard/usage',
  '/dashboard/task?id=0000000000000000',
  '/dashboard/requests?tab=1',
];

const LINKS = [
  '/dashboard/task-result?id=0000000000000000',
  '/dashboard/replay?id=0000000000000000',
  '/dashboard/bundle?id=0000000000000000',
  '/dashboard/har?tab=1',
];

describe('the dashboard', () => {
  it('exchanges the ticket of its logged URL once for a cookie that scripts cannot read', async () => {
    const { url, origin, log } = await startDashboard({ home: await makeHome() });
    const first = await send(origin, url);
    expect(first.status).toBe(303);
    const [, key = ''] = /^\/#access=([0-9a-f]{64})$/.exec(first.headers.location ?? '') ?? [];
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^openchrome_[0-9a-f]{8}=/);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    const [value = ''] = cookie.split(';');
    const headers = { cookie: value, 'x-openchrome-key': key };
    expect(await send(origin, '/dashboard/state', { headers })).toMatchObject({ status: 200 });
    const second = await send(origin, url);
    expect(second.headers['set-cookie']).toBeUndefined();
    expect(second.headers.location).toBe('/');
    for (const secret of [value.split('=')[1] ?? 'no cookie', key])
      expect(log()).not.toContain(secret);
  });

  it('sends no data without a cookie, with a changed one, or with a wrong ticket', async () => {
    const { url, origin } = await startDashboard({ home: await makeHome() });
    const access = await takeAccess(url);
    const { cookie } = access;
    for (const path of DATA_PATHS) {
      for (const wrong of ['', 'openchrome_00000000=1.2', cookie.replace(/.$/, 'x')])
        expect(
          await send(origin, path, { headers: { ...access, cookie: wrong } }),
          path,
        ).toMatchObject({ status: 401 });
    }
    const action = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect(await send(origin, '/dashboard/action', action)).toMatchObject({ status: 401 });
    const guessed = await send(origin, '/?ticket=guess');
    expect(guessed.headers['set-cookie']).toBeUndefined();
  });

  it('sends no data to a program that has only the cookie, which browsers send to every port', async () => {
    const { url, origin } = await startDashboard({ home: await makeHome() });
    const { cookie, 'x-openchrome-key': key } = await takeAccess(url);
    const other = await startDashboard({ home: await makeHome() });
    const { 'x-openchrome-key': otherKey } = await takeAccess(other.url);
    for (const path of [...DATA_PATHS, ...LINKS])
      for (const wrong of ['', key.replace(/.$/, 'x'), otherKey])
        expect(
          await send(origin, path, { headers: { cookie, 'x-openchrome-key': wrong } }),
          path,
        ).toMatchObject({ status: 401 });
    const headers = { cookie, 'content-type': 'application/json' };
    const action = { method: 'POST', headers, body: '{"type":"cancel-task","id":"x"}' };
    expect(await send(origin, '/dashboard/action', action)).toMatchObject({ status: 401 });
    expect(
      await send(origin, `/dashboard/calls?access=${key}`, { headers: { cookie } }),
    ).toMatchObject({ status: 200 });
  });

  it('opens a signed link with the cookie alone, and no other path by its signature', async () => {
    const server = await startDashboard({ home: await makeHome() });
    const access = await takeAccess(server.url);
    const started = JSON.parse(
      await server.call('oc_task_start', { objective: 'Compare prices' }),
    ) as { task_id: string };
    await server.call('oc_task_finish', { task_id: started.task_id, outcome: 'success' });
    await server.call('navigate', { url: 'data:text/html,<p>Page' });
    const recording = JSON.parse(
      await server.call('oc_task_start', { kind: 'recording', args: { duration_ms: 200 } }),
    ) as { task_id: string };
    await server.call('oc_task_wait', { task_id: recording.task_id, timeout_ms: 20_000 });
    const path = `/dashboard/task?id=${recording.task_id}`;
    const { text } = await send(server.origin, path, { headers: access });
    const { links } = JSON.parse(text) as { links: Record<string, string> };
    const replay = links['Replay'] ?? '';
    const { cookie } = access;
    const open = (link: string, headers: Record<string, string> = { cookie }) =>
      send(server.origin, link, { headers });
    expect(await open(replay)).toMatchObject({ status: 200 });
    expect(await open(replay, {})).toMatchObject({ status: 401 });
    expect(await open(replay.replace('/replay', '/task-result'))).toMatchObject({ status: 401 });
    expect(await open(replay.replace(recording.task_id, started.task_id))).toMatchObject({
      status: 401,
    });
    expect(await open(replay.replace(/.$/, 'x'))).toMatchObject({ status: 401 });
  });

  it('rejects foreign hosts and origins, and creates tickets only for the token', async () => {
    const token = 'a-token-of-sufficient-length';
    const { url, origin } = await startDashboard({
      home: await makeHome(),
      flags: ['--token', token],
    });
    const access = await takeAccess(url);
    const get = (headers: Record<string, string>) => send(origin, '/dashboard/state', { headers });
    expect(await get({ ...access, host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await get({ ...access, origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect(await get({ ...access, origin: 'http://127.0.0.1:1' })).toMatchObject({ status: 403 });
    expect(await get({ authorization: `Bearer ${token}` })).toMatchObject({ status: 401 });
    const ask = (headers: Record<string, string>) =>
      send(origin, '/dashboard/ticket', { method: 'POST', headers });
    expect(await ask({})).toMatchObject({ status: 401 });
    const { text } = await ask({ authorization: `Bearer ${token}` });
    const { ticket } = JSON.parse(text) as { ticket: string };
    expect((await takeAccess(`${origin}/?ticket=${ticket}`)).cookie).not.toBe('');
  });

  it('creates no tickets on a server without a token', async () => {
    const { origin } = await startDashboard({ home: await makeHome() });
    expect(await send(origin, '/dashboard/ticket', { method: 'POST' })).toMatchObject({
      status: 401,
    });
  });

  it('accepts its cookie after a restart, and keeps its key private', async () => {
    const home = await makeHome();
    const first = await startDashboard({ home });
    const headers = await takeAccess(first.url);
    await first.stop();
    const { origin } = await startDashboard({ home, port: first.port });
    expect(await send(origin, '/dashboard/state', { headers })).toMatchObject({ status: 200 });
    const key = await readFile(join(home, 'dashboard.key'), 'utf8');
    expect(key).toHaveLength(43);
  });

  it('does not accept at one port the key that a program at another port received', async () => {
    const home = await makeHome();
    const first = await startDashboard({ home });
    const second = await startDashboard({ home, flags: ['--isolated'] });
    const headers = await takeAccess(first.url);
    expect(await send(first.origin, '/dashboard/state', { headers })).toMatchObject({
      status: 200,
    });
    expect(await send(second.origin, '/dashboard/state', { headers })).toMatchObject({
      status: 401,
    });
  });

  it('forbids inline scripts, frames and other hosts with a strict policy', async () => {
    const { origin } = await startDashboard({ home: await makeHome() });
    const { headers, text } = await send(origin, '/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(text).not.toMatch(/<script[^>]*>[^<]/);
    expect(text).not.toMatch(/https?:\/\//);
  });

  it('changes nothing with --dashboard-readonly', async () => {
    const { url, origin } = await startDashboard({
      home: await makeHome(),
      flags: ['--dashboard-readonly'],
    });
    const access = await takeAccess(url);
    const headers = { ...access, 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'cancel-task', id: '0000000000000000' });
    expect(
      await send(origin, '/dashboard/action', { method: 'POST', headers, body }),
    ).toMatchObject({ status: 403 });
    const { text } = await send(origin, '/dashboard/state', { headers: access });
    expect(JSON.parse(text)).toMatchObject({ readonly: true });
  });

  it('serves requests that offer another protocol as before', async () => {
    const { origin } = await startDashboard({ home: await makeHome() });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
      'content-length': String(body.length),
    };
    const answer = await send(origin, '/mcp', { method: 'POST', headers, body });
    expect(JSON.parse(answer.text)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});
