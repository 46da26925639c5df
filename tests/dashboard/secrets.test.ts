// Fields with secrets are painted over by the server: no picture that leaves it shows them.
import { describe, expect, it, onTestFinished } from 'vitest';
import { useSite } from '../fixtures.ts';
import { send } from './dashboard-server.ts';
import { closeSocket, type LivePicture, takePictures, useWatchedServer } from './live-socket.ts';

const site = useSite();
const watched = useWatchedServer();

/** The tab is closed after the test: its page changes all the time, which takes processor time. */
const openTab = async (html: string): Promise<string> => {
  const url = site.page('/page', html);
  const { tabId } = JSON.parse(await watched.server.call('tabs', { action: 'new', url })) as {
    tabId: string;
  };
  onTestFinished(async () => {
    await watched.server.call('tabs', { action: 'close', tabId });
  });
  return tabId;
};

const watch = async (tabId: string, count: number): Promise<readonly LivePicture[]> => {
  const socket = await watched.openSocket();
  const pictures = await takePictures(socket, { tabId, count });
  await closeSocket(socket);
  return pictures;
};

interface Colours {
  readonly red: number;
  readonly blue: number;
  readonly grey: number;
}

/** The tab in which Chrome decodes pictures. */
let decoder: Promise<string> | undefined;

const openDecoder = async (): Promise<string> => {
  const url = site.page('/blank', '<p>blank</p>');
  const { tabId } = JSON.parse(await watched.server.call('tabs', { action: 'new', url })) as {
    tabId: string;
  };
  return tabId;
};

/** Counts pixels of a JPEG by colour; Chrome decodes it. */
const countColours = async (jpeg: Buffer): Promise<Colours> => {
  const tabId = await (decoder ??= openDecoder());
  const counted = await watched.server.call('javascript_tool', {
    tabId,
    code: `const bytes = Uint8Array.from(atob('${jpeg.toString('base64')}'), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const found = { red: 0, blue: 0, grey: 0 };
      const isGrey = (one) => Math.abs(one - 128) < 3;
      for (let i = 0; i < data.length; i += 4) {
        const r = data[i], g = data[i + 1], b = data[i + 2];
        if (r > 150 && g < 100 && b < 100) found.red++;
        if (b > 150 && r < 100 && g < 100) found.blue++;
        if (isGrey(r) && isGrey(g) && isGrey(b)) found.grey++;
      }
      return JSON.stringify(found)`,
  });
  return JSON.parse(counted) as Colours;
};

const SECRET = 'position:absolute;width:300px;height:60px;border:0;background:#f00;color:#f00';
/** Chrome sends pictures only of pages that change. */
const SHOWN = `<div style="position:absolute;left:0;top:400px;width:200px;height:60px;background:#00f"></div>
  <p id="n"></p><script>let i = 0;
    setInterval(() => { document.getElementById('n').textContent = ++i }, 40)</script>`;

const field = (attributes: string, place = 'left:210px;top:110px'): string =>
  `<input ${attributes} value="4111 1111" style="${SECRET};${place}">`;

describe('a live picture has grey in place of', () => {
  it.each([
    ['a password field', field('type="password"')],
    ['a card number', field('autocomplete="cc-number"')],
    ['a code', field('name="otp"')],
    [
      'a field in a shadow root',
      `<div id="host"></div><script>
       document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML =
         '${field('type="password"').replaceAll("'", '')}'</script>`,
    ],
    [
      'a field in a frame',
      `<iframe style="position:absolute;left:50px;top:60px;width:600px;height:250px;border:7px solid"
         srcdoc='<body style="margin:0">${field('type="password"')}'></iframe>`,
    ],
    ['a revealed password whose field still names it', field('placeholder="Your password"')],
  ])('%s', async (_, html) => {
    const tabId = await openTab(`<body style="margin:0">${html}${SHOWN}`);
    const pictures = await watch(tabId, 2);
    for (const { header, jpeg } of pictures) {
      const { red, blue, grey } = await countColours(jpeg);
      expect(header.secrets).toHaveLength(1);
      expect(red).toBe(0);
      expect(grey).toBeGreaterThan(300 * 60 * 0.9 * (1_280 / header.width) ** 2 * 0.5);
      expect(blue).toBeGreaterThan(1_000);
    }
  });

  it('a password field whose text the page reveals while a viewer watches', async () => {
    const tabId = await openTab(
      `<body style="margin:0">${field('type="password" id="p"')}${SHOWN}`,
    );
    const socket = await watched.openSocket();
    await takePictures(socket, { tabId, count: 1 });
    await watched.server.call('javascript_tool', {
      tabId,
      code: "document.getElementById('p').type = 'text'",
    });
    const pictures = await takePictures(socket, { tabId, count: 3 });
    for (const { jpeg } of pictures) expect(await countColours(jpeg)).toMatchObject({ red: 0 });
    await closeSocket(socket);
  });

  it('a field that moves all the time', async () => {
    const tabId = await openTab(
      `<body style="margin:0">${field('type="password" id="p"')}${SHOWN}<script>
         const move = (at) => {
           document.getElementById('p').style.left = 400 + 300 * Math.sin(at / 700) + 'px';
           requestAnimationFrame(move) }; requestAnimationFrame(move)</script>`,
    );
    for (const { jpeg } of await watch(tabId, 8))
      expect(await countColours(jpeg)).toMatchObject({ red: 0 });
  });

  it('a field of a page that an emulated phone shows scaled', async () => {
    const tabId = await openTab(
      `<body style="margin:0;width:1400px;height:1200px">
         ${field('type="password"', 'left:600px;top:500px')}${SHOWN}`,
    );
    await watched.server.call('emulate', { tabId, device: 'pixel-8' });
    await watched.server.call('navigate', { tabId, url: `${site.origin}/page` });
    const [picture] = await watch(tabId, 1);
    const { red, blue } = await countColours(picture?.jpeg ?? Buffer.alloc(0));
    expect(red).toBe(0);
    expect(blue).toBeGreaterThan(100);
  });
});

it('the picture after an acting call has grey in place of a password', async () => {
  const tabId = await openTab(
    `<body style="margin:0">${field('type="password"')}${SHOWN}<button>Press</button>`,
  );
  const socket = await watched.openSocket();
  await takePictures(socket, { tabId, count: 1 });
  await watched.server.call('interact', { tabId, action: 'click', query: 'Press' });
  const readKeys = async (): Promise<readonly string[]> => {
    const { text } = await send(watched.server.origin, '/dashboard/state', {
      headers: watched.access,
    });
    return (JSON.parse(text) as { thumbnails: readonly string[] }).thumbnails;
  };
  const isOfClick = (key: string): boolean => key.includes(' interact ');
  await expect.poll(async () => (await readKeys()).some(isOfClick), { timeout: 20_000 }).toBe(true);
  const key = encodeURIComponent((await readKeys()).find(isOfClick) ?? '');
  const response = await fetch(`${watched.server.origin}/dashboard/thumbnail?key=${key}`, {
    headers: watched.access,
  });
  const { red, blue } = await countColours(Buffer.from(await response.arrayBuffer()));
  expect({ red, hasBlue: blue > 1_000 }).toEqual({ red: 0, hasBlue: true });
  await closeSocket(socket);
});

it('a page that hangs before it was examined has no picture', async () => {
  const url = site.page(
    '/hangs',
    `${field('type="password"')}<script>setTimeout(() => { for (;;); }, 0)</script>`,
  );
  await watched.server.call('tabs', { action: 'new', url, timeout_ms: 2_000 });
  const { text } = await send(watched.server.origin, '/dashboard/state', {
    headers: watched.access,
  });
  const { tabs } = JSON.parse(text) as { tabs: readonly { tabId: string; url: string }[] };
  const hung = tabs.find((tab) => tab.url.endsWith('/hangs'))?.tabId ?? '';
  const other = await openTab(`<body>${SHOWN}`);
  const socket = await watched.openSocket();
  const seen: string[] = [];
  const taken = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return;
      const end = 4 + data.readUInt32LE(0);
      seen.push((JSON.parse(data.toString('utf8', 4, end)) as LivePicture['header']).tabId);
      resolve();
    });
  });
  socket.send(JSON.stringify({ type: 'watch', tabs: [hung, other], width: 480 }));
  await taken;
  expect(seen).toEqual([other]);
  await closeSocket(socket);
  await watched.server.call('tabs', { action: 'close', tabId: hung });
});
