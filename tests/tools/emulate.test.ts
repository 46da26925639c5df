// emulate: what was set is what the page itself sees, before and after it goes elsewhere, and it
// ends with a reset.
import { beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const agents: { agent: string | undefined; language: string | undefined }[] = [];
const PAGE = '<meta name="viewport" content="width=device-width"><title>t</title><p>hello';
const site = useSite({
  '/': PAGE,
  '/agent': (request, response) => {
    agents.push({
      agent: request.headers['user-agent'],
      language: request.headers['accept-language'],
    });
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  },
  '/big': (_, response) => void response.writeHead(200).end(Buffer.alloc(100_000)),
});

const inPage = async <T>(code: string): Promise<T> =>
  JSON.parse(
    await browser.text('javascript_tool', { code: `return JSON.stringify(${code})` }),
  ) as T;
const open = (path = '/'): Promise<unknown> =>
  browser.json('navigate', { url: `${site.origin}${path}` });

describe('emulate', () => {
  beforeEach(async () => {
    expect(await browser.json('emulate', { action: 'reset' })).toEqual({ emulated: {} });
    await open();
  });

  test('a device: its screen, its touch, its name', async () => {
    expect(await browser.json('emulate', { device: 'iphone-15' })).toEqual({
      emulated: { device: 'iphone-15' },
    });
    await open('/agent');
    expect(
      await inPage(
        '[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, navigator.platform]',
      ),
    ).toEqual([393, 852, 3, 5, 'iPhone']);
    expect(await inPage('matchMedia("(pointer: coarse)").matches')).toBe(true);
    expect(agents.at(-1)?.agent).toContain('iPhone');
    expect(await inPage<string>('navigator.userAgent')).toContain('iPhone');
    await browser.json('emulate', { action: 'reset' });
    await open('/agent');
    expect(
      await inPage('[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints]'),
    ).toEqual([1280, 720, 1, 0]);
    expect(agents.at(-1)?.agent).not.toContain('iPhone');
  });

  test('an Android device has the version of this Chrome and is mobile', async () => {
    const own = await inPage<string>('navigator.userAgent');
    await browser.json('emulate', { device: 'pixel-8' });
    await browser.json('navigate', { action: 'reload' });
    const [major] = /Chrome\/\d+/.exec(own) ?? [];
    expect(await inPage<string>('navigator.userAgent')).toContain(`${major}.0.0.0 Mobile`);
    expect(
      await inPage('[navigator.userAgentData.mobile, navigator.userAgentData.platform]'),
    ).toEqual([true, 'Android']);
  });

  test('a viewport, and a picture of it at its own size', async () => {
    await browser.json('emulate', { viewport: { width: 500, height: 400, scale: 2 } });
    expect(await inPage('[innerWidth, innerHeight, devicePixelRatio]')).toEqual([500, 400, 2]);
    const { images } = await browser.reply('page_screenshot');
    const png = Buffer.from(images[0]?.data ?? '', 'base64');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([500, 400]);
  });

  test('a language: for scripts, for formats and for servers', async () => {
    await browser.json('emulate', { locale: 'de-AT' });
    await open('/agent');
    expect(
      await inPage(
        '[navigator.language, navigator.languages.join(), (1234.5).toLocaleString("de-DE"), new Intl.NumberFormat().resolvedOptions().locale]',
      ),
    ).toEqual(['de-AT', 'de-AT,de', '1.234,5', 'de-AT']);
    expect(agents.at(-1)?.language).toMatch(/^de-AT,de/);
  });

  test('a time zone and a colour scheme, without a reload', async () => {
    await browser.json('emulate', { timezone: 'Asia/Tokyo', colorScheme: 'dark' });
    expect(
      await inPage('[new Date(0).getHours(), matchMedia("(prefers-color-scheme: dark)").matches]'),
    ).toEqual([9, true]);
    await open('/?again');
    expect(
      await inPage('[new Date(0).getHours(), matchMedia("(prefers-color-scheme: dark)").matches]'),
    ).toEqual([9, true]);
    expect(await browser.json('emulate', { timezone: null })).toEqual({
      emulated: { colorScheme: 'dark' },
    });
    expect(await inPage('Intl.DateTimeFormat().resolvedOptions().timeZone')).not.toBe('Asia/Tokyo');
  });

  test('media features, alone and together, also after a navigation', async () => {
    const queries = [
      '(prefers-reduced-motion: reduce)',
      '(forced-colors: active)',
      '(prefers-contrast: more)',
      'print',
    ];
    const read = (): Promise<boolean[]> =>
      inPage(`${JSON.stringify(queries)}.map((query) => matchMedia(query).matches)`);
    expect(await read()).toEqual([false, false, false, false]);
    await browser.json('emulate', { reducedMotion: true, contrast: 'more' });
    expect(await read()).toEqual([true, false, true, false]);
    await browser.json('emulate', { forcedColors: true, media: 'print' });
    await open('/?printed');
    expect(await read()).toEqual([true, true, true, true]);
    await browser.json('emulate', { media: null, contrast: null });
    expect(await read()).toEqual([true, true, false, false]);
  });

  test('permissions, until they are taken back', async () => {
    const read = (name: string): Promise<string> =>
      inPage(`(await navigator.permissions.query({ name: '${name}' })).state`);
    await browser.json('emulate', {
      permissions: { geolocation: 'granted', notifications: 'denied' },
    });
    expect(await read('geolocation')).toBe('granted');
    expect(await read('notifications')).toBe('denied');
    await browser.json('emulate', { permissions: null });
    expect(await read('geolocation')).not.toBe('granted');
    expect(await browser.failure('emulate', { permissions: { gps: 'granted' } })).toMatchObject({
      code: 'invalid_argument',
    });
  });

  test('a location, which the page can read', async () => {
    await browser.json('emulate', { geolocation: { latitude: 48.2, longitude: 16.37 } });
    const ask =
      'await new Promise(done => navigator.geolocation.getCurrentPosition(({coords: c}) => done([c.latitude, c.longitude, c.accuracy]), e => done(e.message)))';
    expect(await inPage(ask)).toEqual([48.2, 16.37, 10]);
  });

  test('no network, and the network again', async () => {
    expect(await browser.json('emulate', { offline: true })).toEqual({
      emulated: { offline: true },
    });
    const fetched = 'await fetch("/big").then(r => r.status, e => e.name)';
    expect(await inPage(`[navigator.onLine, ${fetched}]`)).toEqual([false, 'TypeError']);
    expect(await browser.failure('navigate', { url: `${site.origin}/` })).toMatchObject({
      code: 'navigation_failed',
      net_error: 'ERR_INTERNET_DISCONNECTED',
    });
    await browser.json('emulate', { offline: false });
    await open();
    expect(await inPage(`[navigator.onLine, ${fetched}]`)).toEqual([true, 200]);
  });

  test('a slow network', async () => {
    const timed =
      'await (async () => { const t = performance.now(); await (await fetch("/big?" + Math.random())).arrayBuffer(); return performance.now() - t })()';
    expect(
      await browser.json('emulate', { network: { downKbps: 1600, upKbps: 1600, latencyMs: 2000 } }),
    ).toMatchObject({
      emulated: { network: { downKbps: 1600 } },
    });
    // 100 kB at 200 kB/s, and the latency
    expect(await inPage<number>(timed)).toBeGreaterThan(2300);
    expect(await browser.json('emulate', { network: 'slow-4g' })).toEqual({
      emulated: { network: 'slow-4g' },
    });
    await browser.json('emulate', { network: null });
    expect(await inPage<number>(timed)).toBeLessThan(2000); // the latency alone is more
  });

  test('a slow processor', async () => {
    // Long enough to hold many of the pauses that make the processor slow; the first run is for the
    // compiler.
    const spin = (runs: number): string =>
      `Math.min(...Array.from({ length: ${runs} }, () => { const t = performance.now(); let x = 0; for (let i = 0; i < 4e7; i++) x += Math.sqrt(i); return performance.now() - t }).slice(1))`;
    // Other work on the machine only lengthens a run: the shortest of several is the usual one.
    const usual = await inPage<number>(spin(8));
    await browser.json('emulate', { cpuSlowdown: 8 });
    // Chrome slows the page down by pauses, which come late on a busy machine.
    await expect
      .poll(() => inPage<number>(spin(2)), { timeout: 30_000 })
      .toBeGreaterThan(usual * 2);
  });

  test('frames of another origin see it too', async () => {
    const url = `http://localhost:${site.port}/`;
    await browser.json('emulate', { timezone: 'Asia/Tokyo', colorScheme: 'dark' });
    await browser.json('navigate', { url: site.page('/framed', `<iframe src="${url}"></iframe>`) });
    const { frames } = (await browser.failure('javascript_tool', {
      code: '1',
      frameId: 'none',
    })) as unknown as {
      frames: { frameId: string; url: string }[];
    };
    const frameId = frames.find((frame) => frame.url === url)?.frameId;
    const code =
      'return [new Date(0).getHours(), matchMedia("(prefers-color-scheme: dark)").matches].join()';
    await expect.poll(() => browser.text('javascript_tool', { code, frameId })).toBe('9,true');
    await browser.json('emulate', { timezone: 'Asia/Kolkata', colorScheme: 'light' });
    expect(await browser.text('javascript_tool', { code, frameId })).toBe('5,false');
  });

  test('a setting that is refused leaves the others as they were', async () => {
    await browser.json('emulate', { colorScheme: 'dark' });
    expect(await browser.failure('emulate', { timezone: 'Mars/Olympus' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'timezone',
    });
    expect(await browser.json('emulate', { action: 'show' })).toEqual({
      emulated: { colorScheme: 'dark' },
    });
  });

  test.each([
    [{}, 'device'],
    [{ device: 'nokia' }, 'device'],
    [{ viewport: { width: 1, height: 1 } }, 'viewport.width'],
    [{ locale: 'not a locale' }, 'locale'],
    [{ geolocation: { latitude: 100, longitude: 0 } }, 'geolocation.latitude'],
    [{ cpuSlowdown: 0 }, 'cpuSlowdown'],
    [{ network: 'modem' }, 'network'],
    [{ action: 'reset', offline: true }, 'action'],
  ])('%j is refused', async (args, argument) => {
    expect(await browser.failure('emulate', args)).toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });
});
