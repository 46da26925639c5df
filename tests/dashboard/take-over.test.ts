// Take-over in the live view: the user's input goes to the page, and acting calls wait.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { type DashboardServer, makeHome, startDashboard } from './dashboard-server.ts';

const site = useSite();
const viewer = useEngine(['--allow-private-network']);
let server: DashboardServer;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
  server = await startDashboard({ home: await makeHome(onEnd), onEnd });
  await viewer.json('navigate', { url: server.url });
});
afterAll(async () => {
  for (const end of ends) await end();
});

const PAGE = `<title>Form page</title><body style="margin:0;height:3000px">
  <input id="name" aria-label="Name" style="position:absolute;left:100px;top:100px;width:300px;height:40px">
  <input id="file" type="file" style="position:absolute;left:100px;top:200px;width:300px;height:40px">
  <button style="position:absolute;left:100px;top:300px">Press</button>`;

const openPage = async (path: string): Promise<string> => {
  const url = site.page(path, PAGE);
  const { tabId } = JSON.parse(await server.call('navigate', { url })) as { tabId: string };
  await viewer.json('navigate', { url: `${server.origin}/#/live/${tabId}` });
  await viewer.text('wait_for', { text: 'Take over', timeout_ms: 20_000 });
  await viewer.text('wait_for', {
    function:
      'document.querySelector("canvas")?.width > 300 && !document.querySelector(".picture-note")',
    timeout_ms: 20_000,
  });
  return tabId;
};

const takeOver = async (): Promise<void> => {
  await viewer.text('act', { instruction: 'click "Take over"' });
  await viewer.text('wait_for', { text: 'Your pointer, keys', timeout_ms: 20_000 });
};

/** The place in the live picture of a point of the page. */
const toPicture = async (x: number, y: number): Promise<[number, number]> =>
  JSON.parse(
    await viewer.text('javascript_tool', {
      code: `const box = document.querySelector('canvas').getBoundingClientRect();
             const size = document.querySelector('.picture').style.aspectRatio.split(' / ').map(Number);
             return JSON.stringify([Math.round(box.left + ${x} / size[0] * box.width),
               Math.round(box.top + ${y} / size[1] * box.height)])`,
    }),
  ) as [number, number];

const clickPicture = async (x: number, y: number): Promise<void> => {
  const coordinate = await toPicture(x, y);
  await viewer.text('computer', { action: 'left_click', coordinate });
};

const readPage = async (code: string): Promise<string> =>
  server.call('javascript_tool', { code: `return String(${code})` });

const readField = (): Promise<string> => readPage('document.getElementById("name").value');

it('fills a field by a click into the live picture and by keys, while acting calls wait', async () => {
  await openPage('/form');
  await takeOver();
  await clickPicture(250, 120);
  await viewer.text('computer', { action: 'type', text: 'Grace' });
  const waiting = server.call('interact', { action: 'click', query: 'Press', timeout_ms: 1_500 });
  expect(await server.call('read_page', {})).toContain('Form page');
  expect(await waiting).toContain('human_has_control');
  const later = server.call('interact', { action: 'click', query: 'Press', timeout_ms: 30_000 });
  await viewer.text('act', { instruction: 'click "Give back"' });
  expect(await later).toContain('clicked');
  expect(await readField()).toBe('Grace');
});

it('sends the wheel, pasted text and chosen files to the page', async () => {
  await openPage('/form-2');
  await takeOver();
  await clickPicture(250, 120);
  await viewer.text('javascript_tool', {
    code: `const data = new DataTransfer(); data.setData('text/plain', 'from the clipboard');
           document.querySelector('.stage-keys').dispatchEvent(
             new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
           return 1`,
  });
  const [x, y] = await toPicture(250, 400);
  await viewer.text('computer', {
    action: 'scroll',
    coordinate: [x, y],
    scroll_direction: 'down',
    scroll_amount: 3,
  });
  await viewer.text('act', { instruction: 'click "Give back"' });
  await expect.poll(readField, { timeout: 20_000 }).toBe('from the clipboard');
  expect(Number(await readPage('scrollY'))).toBeGreaterThan(0);
  await server.call('javascript_tool', { code: 'scrollTo(0, 0); return 1' });
  await takeOver();
  await clickPicture(150, 220);
  await viewer.text('wait_for', { text: 'The page asks for a file', timeout_ms: 20_000 });
  await viewer.text('javascript_tool', {
    code: `const input = document.querySelector('.file-request input');
           const data = new DataTransfer();
           data.items.add(new File(['hello'], 'note.txt', { type: 'text/plain' }));
           input.files = data.files;
           input.dispatchEvent(new Event('change', { bubbles: true })); return 1`,
  });
  await viewer.text('act', { instruction: 'click "Give back"' });
  await expect
    .poll(() => readPage('document.getElementById("file").files[0]?.name'), { timeout: 20_000 })
    .toBe('note.txt');
});

it('ends when the viewer disconnects', async () => {
  await openPage('/form-3');
  await takeOver();
  const waiting = server.call('interact', { action: 'click', query: 'Press', timeout_ms: 30_000 });
  await viewer.json('navigate', { url: 'about:blank' });
  expect(await waiting).toContain('clicked');
});

it('is refused by a read-only dashboard', async () => {
  const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
  const readonly = await startDashboard({
    home: await makeHome(onEnd),
    flags: ['--dashboard-readonly'],
    onEnd,
  });
  const { tabId } = JSON.parse(
    await readonly.call('navigate', { url: site.page('/form-4', PAGE) }),
  ) as { tabId: string };
  await viewer.json('navigate', { url: readonly.url });
  await viewer.json('navigate', { url: `${readonly.origin}/#/live/${tabId}` });
  await viewer.text('wait_for', { text: 'pictures/s', timeout_ms: 20_000 });
  expect(await viewer.text('read_page', {})).not.toContain('Take over');
});
