// --chrome-idle-seconds: Chrome ends after a time without calls, and the next call starts it again.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({ '/': '<title>Page</title><p>text' });
const engine = useEngine(['--chrome-idle-seconds', '0.5']);

it('an idle Chrome is closed, and the next reply reports the tabs that were lost', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const readState = (): string => engine.engine.health().state;
  expect(readState()).toBe('running');
  await expect.poll(readState, { timeout: 20_000 }).toBe('not_started');
  const reply = await engine.reply('navigate', { url: `${site.origin}/` });
  expect(reply.failure).toBe(undefined);
  expect(reply.notes?.join()).toContain('Chrome was closed while it was idle');
  expect(reply.notes?.join()).toContain(site.origin);
});

it('a call that waits keeps Chrome open', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const code = `await new Promise((done) => setTimeout(done, 1500)); return document.title`;
  expect(await engine.text('javascript_tool', { code })).toBe('Page');
});
