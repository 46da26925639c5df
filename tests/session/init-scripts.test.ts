// --init-script: scripts of the owner run before those of a page, in all sessions or in one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchrome-init-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'all.js'), 'globalThis.fromOwner = ["all"];');
writeFileSync(join(folder, 'buyer.js'), 'globalThis.fromOwner.push("buyer");');

const site = useSite({
  '/': '<script>globalThis.seen = String(globalThis.fromOwner)</script>',
});
site.page('/outer', (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  // another site: its frame is in another process
  response.end(`<iframe src="http://localhost:${site.port}/"></iframe>`);
});
const engine = useEngine([
  ...['--init-script', join(folder, 'all.js')],
  ...['--init-script', `buyer=${join(folder, 'buyer.js')}`],
]);
const run = (session: string, code: string, more: object = {}): Promise<string> =>
  engine.text('javascript_tool', { session, code, ...more });

it.each([
  ['default', 'all'],
  ['seller', 'all'],
  ['buyer', 'all,buyer'],
])('in the session %s the scripts run before the page: %s', async (session, expected) => {
  await engine.text('navigate', { session, url: `${site.origin}/` });
  expect(await run(session, 'seen')).toBe(expected);
  await engine.text('tabs', { session, action: 'new', url: `${site.origin}/` });
  expect(await run(session, 'seen')).toBe(expected);
  await run(session, `window.open('/', 'popup'); 1`);
  const popup = `window.open('', 'popup')`;
  await engine.text('wait_for', { session, function: `${popup}.seen !== undefined` });
  expect(await run(session, `${popup}.seen`)).toBe(expected);
});

it('the scripts run in frames of another site', async () => {
  await engine.text('navigate', { session: 'buyer', url: `${site.origin}/outer` });
  const failure = await engine.failure('javascript_tool', {
    session: 'buyer',
    code: '1',
    frameId: 'none',
  });
  const frames = failure['frames'] as { frameId: string; url: string }[];
  const frameId = frames.find(({ url }) => url.includes('localhost'))?.frameId;
  expect(await run('buyer', 'seen', { frameId })).toBe('all,buyer');
});
