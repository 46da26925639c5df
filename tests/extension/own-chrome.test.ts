// --attach extension: tools over the extension in a real Chrome.
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useOwnChrome } from './user-chrome.ts';

const site = useSite({
  '/': `<title>Shop</title><h1>Welcome</h1><button onclick="this.textContent='Bought'">Buy</button>
    <input aria-label="Name">`,
});
const own = useOwnChrome();

it('navigates, reads and clicks in a tab of the group of the agent', async () => {
  expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
  expect(await own.text('read_page')).toContain('Welcome');
  expect(await own.text('interact', { action: 'click', query: 'Buy' })).toContain('clicked');
  const groups = await own.chrome.worker<{ title: string; color: string }[]>(
    'chrome.tabGroups.query({})',
  );
  expect(groups).toMatchObject([{ title: 'OpenChrome', color: 'blue' }]);
});
