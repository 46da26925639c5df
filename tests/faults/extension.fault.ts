// The link to the extension in the user's Chrome, after a long time without a call.
import { expect, test } from 'vitest';
import { sleep } from '../../src/core/time.ts';
import { useOwnChrome } from '../extension/user-chrome.ts';
import { useSite } from '../fixtures.ts';

const MINUTES = Number(process.env['OPENCHROME_IDLE_MINUTES'] ?? 1);
const MINUTE_MS = 60_000;

const site = useSite({ '/': '<title>Shop</title><h1>Welcome</h1>' });
const own = useOwnChrome();

test(
  'stays open without a call, although Chrome ends idle service workers after 30 s',
  { timeout: (MINUTES + 1) * MINUTE_MS },
  async () => {
    await own.text('navigate', { url: `${site.origin}/` });
    await sleep(MINUTES * MINUTE_MS);
    // A lost connection would have ended this state, and the next call would be a second start.
    expect(own.engine.health()).toMatchObject({ state: 'running', starts: 1 });
    expect(await own.text('read_page')).toContain('Welcome');
    expect(own.engine.health()).toMatchObject({ state: 'running', starts: 1 });
  },
);
