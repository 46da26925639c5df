// The default policy in the user's own Chrome: effects with the user's logins need an answer.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useOwnChrome } from './user-chrome.ts';

let payments = 0;
const site = useSite({
  '/pay': (_, response) => {
    payments++;
    response.end();
  },
  '/': `<title>Bank</title><h1>Account</h1><input type="file" aria-label="Photo">
    <form method="post" action="/pay"><button>Pay</button></form>`,
});
const own = useOwnChrome({ policy: [] });

it('asks before a form is sent, a file is uploaded, a script runs and cookies are read', async () => {
  await own.text('navigate', { url: `${site.origin}/` });
  expect(await own.text('read_page')).toContain('Account');
  const photo = join(own.home, 'photo.png');
  await writeFile(photo, 'picture');
  const calls = [
    ['javascript_tool', { code: 'document.cookie' }],
    ['cookies', { action: 'list' }],
    ['interact', { action: 'upload', query: 'Photo', value: photo }],
  ] as const;
  for (const [tool, args] of calls)
    expect(await own.failure(tool, { ...args, timeout_ms: 3_000 })).toMatchObject({
      code: 'consent_denied',
    });
  await own.failure('interact', { action: 'click', query: 'Pay', timeout_ms: 3_000 });
  expect(payments).toBe(0);
});
