// --attach extension: tools over the extension in a real Chrome.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useOwnChrome } from './user-chrome.ts';

const site = useSite({
  '/': `<title>Shop</title><h1>Welcome</h1><button onclick="this.textContent='Bought'">Buy</button>
    <input aria-label="Name"><input type="file" aria-label="Photo">`,
  '/inner': '<h1>Inside the frame</h1>',
  '/count': `<title>Count</title>
    <button onclick="out.textContent = Number(out.textContent) + 1">Add</button><p id=out>0</p>`,
  '/outer': (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Outer</title><iframe src="http://localhost:${site.port}/inner"></iframe>`);
  },
  '/sticky': `<title>Sticky</title><button>Type</button>
    <script>onbeforeunload = (event) => event.preventDefault()</script>`,
  '/files': '<title>Files</title><a href="/report">Report</a>',
  '/report': (_, response) => {
    response.setHeader('content-disposition', 'attachment; filename="report.txt"');
    response.end('sold 7 lamps');
  },
});
const own = useOwnChrome();

it('navigates, reads, types and clicks in a tab of the group of the agent', async () => {
  expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
  expect(await own.text('read_page')).toContain('Welcome');
  expect(await own.text('interact', { action: 'click', query: 'Buy' })).toContain('clicked');
  expect(await own.text('read_page')).toContain('Bought');
  await own.text('fill_form', { fields: [{ label: 'Name', value: 'Ada' }] });
  expect(await own.text('read_page')).toContain('Ada');
  const groups = await own.chrome.worker<{ title: string; color: string }[]>(
    'chrome.tabGroups.query({})',
  );
  expect(groups).toMatchObject([{ title: 'OpenChrome', color: 'blue' }]);
});

it('does not take the focus from the tab of the user', async () => {
  await own.chrome.open(`${site.origin}/inner`);
  const readActive = () =>
    own.chrome.worker<string>('chrome.tabs.query({ active: true }).then(([tab]) => tab.url)');
  const before = await readActive();
  await own.text('tabs', { action: 'new', url: `${site.origin}/` });
  await own.text('page_screenshot');
  expect(await readActive()).toBe(before);
});

it('keeps a background tab drawing during actions and after them', async () => {
  await own.chrome.open(`${site.origin}/inner`);
  await own.text('navigate', { url: `${site.origin}/count` });
  for (let clicks = 1; clicks <= 8; clicks++)
    expect(await own.text('interact', { action: 'click', query: 'Add' })).toContain('DOM change');
  // Chrome would draw this tab once a second after three frames
  const code = `(async () => {
    const startedAt = performance.now();
    for (let frames = 0; frames < 10; frames++) await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  })()`;
  expect(Number(await own.text('javascript_tool', { code }))).toBeLessThan(5_000);
  expect(await own.text('interact', { action: 'hover', query: 'Add' })).toContain('hovered');
});

it('names the tab group after the session, which shares the logins of the user', async () => {
  await own.text('navigate', { url: `${site.origin}/` });
  await own.text('cookies', { action: 'set', name: 'user', value: 'ada', url: site.origin });
  const code = { code: 'document.cookie' };
  await own.reply('navigate', { url: `${site.origin}/` }, 'travel');
  expect((await own.reply('javascript_tool', code, 'travel')).text).toContain('user=ada');
  const titles = await own.chrome.worker<string[]>(
    'chrome.tabGroups.query({}).then((all) => all.map((group) => group.title))',
  );
  expect(titles.sort()).toEqual(['OpenChrome', 'travel']);
});

it('reads frames of other sites', async () => {
  await own.text('navigate', { url: `${site.origin}/outer` });
  expect(await own.text('read_page')).toContain('Inside the frame');
});

it('closes a tab whose page would ask its user', async () => {
  await own.text('tabs', { action: 'new', url: `${site.origin}/sticky` });
  await own.text('interact', { action: 'click', query: 'Type' });
  await own.text('tabs', { action: 'close' });
  expect(await own.text('tabs_context')).not.toContain('Sticky');
});

it('reports a download with the path that Chrome has chosen', async () => {
  const downloadPath = join(own.folder, 'downloads');
  await own.chrome.root.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath });
  await own.text('navigate', { url: `${site.origin}/files` });
  await own.text('interact', { action: 'click', query: 'Report' });
  await expect.poll(() => own.text('downloads')).toContain('completed');
  const path = join(downloadPath, 'report.txt');
  expect(await own.text('downloads')).toContain(path);
  expect(await readFile(path, 'utf8')).toBe('sold 7 lamps');
});

it('rejects features that do not work there, with the reason', async () => {
  await own.text('navigate', { url: `${site.origin}/` });
  const reject = async (tool: string, args: object): Promise<string> => {
    const { code, message } = await own.failure(tool, args);
    return `${code}: ${message}`;
  };
  expect(await reject('performance', { action: 'trace' })).toBe(
    'not_supported_here: Chrome gives extensions no performance traces.',
  );
  expect(await reject('emulate', { geolocation: { latitude: 1, longitude: 2 } })).toBe(
    'not_supported_here: The location cannot be emulated in the user’s Chrome.',
  );
  expect(await reject('passkeys', { action: 'on' })).toBe(
    'not_supported_here: Virtual passkeys are not available in the user’s Chrome.',
  );
});

it('uploads a file', async () => {
  await own.text('navigate', { url: `${site.origin}/` });
  const photo = join(own.home, 'photo.png');
  await writeFile(photo, 'picture');
  const upload = { action: 'upload', query: 'Photo', value: photo };
  expect(await own.text('interact', upload)).toContain('photo.png');
});

it('links again after the server has ended the connection', async () => {
  await own.text('oc_stop');
  expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
});
