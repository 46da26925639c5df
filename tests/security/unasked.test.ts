// A page that opens windows and saves files without an action: a few are allowed, the others are
// blocked and reported.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

let loaded = 0;
const site = useSite({
  '/popup': (_, response) => {
    loaded++;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Popup</title>');
  },
  '/chain':
    '<title>Chain</title><script>for (let i = 0; i < 3; i++) window.open("/chain?" + i)</script>',
  '/file': ({ url = '' }, response) => {
    const name = `file-${url.split('?')[1] ?? ''}.csv`;
    response
      .writeHead(200, {
        'content-type': 'text/csv',
        'content-disposition': `attachment; filename="${name}"`,
      })
      .end('a,b\n');
  },
});
const engine = useEngine();

interface Listed {
  readonly tabs: readonly { readonly tabId: string; readonly url: string }[];
}

const countTabs = async (path: string): Promise<number> => {
  const { tabs } = await engine.json<Listed>('tabs_context');
  return tabs.filter(({ url }) => url.startsWith(site.origin + path)).length;
};

/** Opens a page, waits until its script is done, and returns the notes of both calls. */
const openHostile = async (path: string, script: string): Promise<string> => {
  const url = site.page(
    path,
    `<!doctype html><title>Hostile</title><button>Open</button><p id=done></p><script>${script}</script>`,
  );
  const opened = await engine.reply('navigate', { url });
  const waited = await engine.reply('wait_for', { text: 'finished', timeout_ms: 45_000 });
  expect(waited.failure).toBeUndefined();
  return [...opened.notes, ...waited.notes].join('\n');
};

const REPEAT = (times: number, work: string): string => `
  let n = 0;
  const timer = setInterval(() => {
    if (n++ < ${times}) { ${work} }
    else { clearInterval(timer); setTimeout(() => { done.textContent = 'finished'; }, 500); }
  }, 20);`;

const countBlocked = (notes: string, noun: string): number =>
  [...notes.matchAll(new RegExp(`(\\d{1,4}) ${noun}`, 'g'))].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );

/** A slow machine may report some of them with a later reply. */
const expectBlocked = async (notes: string, noun: string, expected: number): Promise<void> => {
  let blocked = countBlocked(notes, noun);
  const countMore = async (): Promise<number> => {
    const later = await engine.reply('wait_for', { text: 'finished' });
    blocked += countBlocked(later.notes.join('\n'), noun);
    return blocked;
  };
  if (blocked < expected)
    await expect.poll(countMore, { timeout: 10_000 }).toBeGreaterThanOrEqual(expected);
  expect(blocked).toBe(expected);
};

describe('a page that opens 40 windows from a timer', () => {
  it('gets five of them, and the reply reports how many were blocked', async () => {
    const notes = await openHostile(
      '/hostile',
      REPEAT(40, 'window.open("/popup?" + n, "_blank", n % 2 ? "noopener" : "");'),
    );
    await expectBlocked(notes, 'popup', 35);
    expect(await countTabs('/popup')).toBe(5);
    // Chrome must not continue the paused request of a popup that is closed.
    expect(loaded).toBe(5);
  });

  it('still opens a window when it is clicked', async () => {
    await engine.text('javascript_tool', {
      code: `document.querySelector('button').onclick = () => window.open('/popup?clicked'); 1`,
    });
    expect(await engine.text('interact', { action: 'click', query: 'Open' })).toContain(
      '/popup?clicked',
    );
    await expect.poll(() => countTabs('/popup?clicked'), { timeout: 10_000 }).toBe(1);
  });

  it('gets no more if its popups open further ones', async () => {
    const notes = await openHostile('/chains', REPEAT(1, 'window.open("/chain");'));
    expect(await countTabs('/chain')).toBeLessThanOrEqual(6);
    const later = await engine.reply('wait_for', { text: 'finished' });
    expect(countBlocked([notes, ...later.notes].join('\n'), 'popup')).toBeGreaterThan(0);
  });
});

describe('a page that downloads 30 files from a timer', () => {
  it('saves ten of them, and the reply reports how many were blocked', async () => {
    const notes = await openHostile(
      '/saver',
      REPEAT(
        30,
        'document.body.append(Object.assign(document.createElement("iframe"), { src: "/file?" + n }));',
      ),
    );
    await expectBlocked(notes, 'download', 20);
    const { downloads } = await engine.json<{ downloads: object[] }>('downloads');
    expect(downloads).toHaveLength(10);
    await expect.poll(() => readdirSync(join(engine.home, 'downloads')).length).toBe(10);
  });

  it('still saves a file when it is clicked', async () => {
    await engine.text('javascript_tool', {
      code: `document.querySelector('button').onclick = () => { location.href = '/file?clicked'; }; 1`,
    });
    expect(await engine.text('interact', { action: 'click', query: 'Open' })).toMatch(
      /download d\d+ "file-clicked\.csv"/,
    );
  });
});

describe('a page that downloads without end', () => {
  it('gets no more than the limit for files after the first, and nothing of it is kept', async () => {
    let sent = 0;
    const firstIsSaved = (): boolean =>
      readdirSync(join(engine.home, 'downloads')).includes('first.bin');
    site.page('/first', (_, response) => {
      response
        .writeHead(200, { 'content-disposition': 'attachment; filename="first.bin"' })
        .end('x');
    });
    site.page('/endless', (_, response) => {
      response.writeHead(200, { 'content-disposition': 'attachment; filename="endless.bin"' });
      const block = Buffer.alloc(1024 ** 2);
      const send = (): void => {
        while (!response.destroyed && sent < 2 * 1024 ** 3) {
          sent += block.length;
          if (!response.write(block)) return void response.once('drain', send);
        }
      };
      send();
    });
    const frame = (path: string): string =>
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${path}' }));`;
    site.page('/first-is-saved', (_, response) => void response.end(String(firstIsSaved())));
    // The second download begins after the first one, and both without an action.
    await openHostile(
      '/endless-saver',
      `${frame('/first')}
      (async () => {
        while ((await (await fetch('/first-is-saved')).text()) !== 'true');
        ${frame('/endless')}
        done.textContent = 'finished';
      })();`,
    );
    const stateOf = async (): Promise<string | undefined> => {
      const { downloads } = await engine.json<{ downloads: { file: string; state: string }[] }>(
        'downloads',
      );
      return downloads.find(({ file }) => file === 'endless.bin')?.state;
    };
    await expect.poll(stateOf, { timeout: 40_000 }).toBe('canceled');
    expect(sent).toBeGreaterThan(200 * 1024 ** 2);
    expect(sent).toBeLessThan(2 * 1024 ** 3);
    const later = await engine.reply('wait_for', { text: 'finished' });
    expect(later.notes.join()).toContain('1 download');
    const listOthers = (): string[] =>
      readdirSync(join(engine.home, 'downloads')).filter((name) => !name.startsWith('file-'));
    await expect.poll(listOthers, { timeout: 10_000 }).toEqual(['first.bin']);
  });
});
