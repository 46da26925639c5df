// Take-over in the live view: the user's input goes to the page, and acting calls wait.
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { HAS_PICTURE, useDashboard } from './dashboard-viewer.ts';

const site = useSite();
const board = useDashboard();
const { viewer, openView, waitFor, waitUntil, click, press, tabTo, setWidth, audit } = board;

const PAGE = `<title>Form page</title><body style="margin:0;height:3000px">
  <input id="name" aria-label="Name" style="position:absolute;left:100px;top:100px;width:300px;height:40px">
  <input id="file" type="file" style="position:absolute;left:100px;top:200px;width:300px;height:40px">
  <button style="position:absolute;left:100px;top:300px">Press</button>`;

const openPage = async (path: string): Promise<string> => {
  const url = site.page(path, PAGE);
  const { tabId } = JSON.parse(await board.server.call('navigate', { url })) as { tabId: string };
  // Chrome ignores the pointer until a page has painted, and the picture may be of the page before.
  await board.server.call('wait_for', {
    function: 'performance.getEntriesByType("paint").length > 0',
  });
  await openView(`live/${tabId}`);
  await waitFor('Take over');
  await waitUntil(HAS_PICTURE);
  return tabId;
};

const takeOver = async (): Promise<void> => {
  await click('Take over');
  await waitFor('Your pointer, keys');
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
  board.server.call('javascript_tool', { code: `return String(${code})` });

const readField = (): Promise<string> => readPage('document.getElementById("name").value');

it.each([380, 1440])(
  'fills a field by a click into the live picture and by keys, while acting calls wait, at %d pixels',
  async (width) => {
    await setWidth(width);
    await openPage(`/form-${width}`);
    await takeOver();
    await clickPicture(250, 120);
    await viewer.text('computer', { action: 'type', text: 'Grace' });
    const waiting = board.server.call('interact', {
      action: 'click',
      query: 'Press',
      timeout_ms: 1_500,
    });
    expect(await board.server.call('read_page', {})).toContain('Form page');
    expect(await waiting).toContain('human_has_control');
    const later = board.server.call('interact', {
      action: 'click',
      query: 'Press',
      timeout_ms: 30_000,
    });
    await click('Give back');
    expect(await later).toContain('clicked');
    expect(await readField()).toBe('Grace');
  },
);

it('works by keyboard alone: takes a tab over, types, and gives it back', async () => {
  const url = site.page('/keys', `${PAGE}<script>document.getElementById('name').focus()</script>`);
  const { tabId } = JSON.parse(await board.server.call('navigate', { url })) as { tabId: string };
  await openView(`live/${tabId}`);
  await waitFor('Take over');
  await waitUntil(HAS_PICTURE);
  await tabTo((name) => name === 'Take over');
  await press('Enter');
  await waitFor('Your pointer, keys');
  expect(await audit()).toEqual({ violations: [], overflow: 0 });
  await press('A', 'd', 'a');
  await press('Shift+Escape');
  await waitFor('Take over');
  await expect.poll(readField, { timeout: 20_000 }).toBe('Ada');
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
  await click('Give back');
  await expect.poll(readField, { timeout: 20_000 }).toBe('from the clipboard');
  expect(Number(await readPage('scrollY'))).toBeGreaterThan(0);
  await board.server.call('javascript_tool', { code: 'scrollTo(0, 0); return 1' });
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
  await click('Give back');
  await expect
    .poll(() => readPage('document.getElementById("file").files[0]?.name'), { timeout: 20_000 })
    .toBe('note.txt');
});

it('ends when the viewer disconnects', async () => {
  await openPage('/form-3');
  await takeOver();
  const waiting = board.server.call('interact', {
    action: 'click',
    query: 'Press',
    timeout_ms: 30_000,
  });
  await viewer.json('navigate', { url: 'about:blank' });
  expect(await waiting).toContain('clicked');
});

it('is refused by a read-only dashboard', async () => {
  const readonly = await board.start({ flags: ['--dashboard-readonly'] });
  const { tabId } = JSON.parse(
    await readonly.call('navigate', { url: site.page('/form-4', PAGE) }),
  ) as { tabId: string };
  await viewer.json('navigate', { url: readonly.url });
  await viewer.json('navigate', { url: `${readonly.origin}/#/live/${tabId}` });
  await waitFor('pictures/s');
  expect(await viewer.text('read_page', {})).not.toContain('Take over');
});
