// Who gets the profile when several want it, and the lock that decides.
import {
  existsSync,
  lstatSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectProduct } from '../../src/browser/launch/chrome-locations.ts';
import { Locks } from '../../src/system/lock.ts';
import {
  createProcesses,
  ownIdentity,
  type ProcessIdentity,
} from '../../src/system/process-identity.ts';
import { sleep } from '../../src/core/time.ts';
import { startForeignChrome } from '../foreign-chrome.ts';
import {
  fakeChrome,
  launch,
  makeFolder,
  makeHome,
  processes,
  startServer,
  until,
  useServers,
} from './support.ts';

useServers();

const CHROME = process.env['CHROME_PATH'] ?? '';
// our number, given to another process before
const dead: ProcessIdentity = { ...ownIdentity(), started: 'long ago' };
const locks = new Locks(createProcesses());

describe('the profile', () => {
  it('is a temporary one while another server uses it, and the reply reports it', async () => {
    const home = makeHome();
    const server = startServer(home, 'idle');
    const first = JSON.parse(await server.line()) as { profile: { dir: string; kind: string } };
    expect(first.profile.kind).toBe('own');
    const second = await launch(home);
    expect(second.profile).toMatchObject({
      kind: 'temporary',
      note: expect.stringContaining(`OpenChrome server (process ${server.pid})`),
    });
    expect(second.profile.dir).not.toBe(first.profile.dir);
    await second.close();
    expect(existsSync(second.profile.dir)).toBe(false);
  });

  it('is free again as soon as the server that used it was killed', async () => {
    const home = makeHome();
    const server = startServer(home, 'page');
    const { profile } = JSON.parse(await server.line()) as { profile: { dir: string } };
    await server.kill();
    expect((await launch(home)).profile).toEqual({ dir: profile.dir, kind: 'own' });
  });

  it('is taken from a Chrome that outlived its killed server', async () => {
    const home = makeHome();
    const immortal = fakeChrome(`process.on('SIGTERM', () => {}); answer(); stay();`);
    const server = startServer(home, 'idle', [
      '--profile',
      join(home.root, 'p'),
      '--chrome-path',
      immortal,
    ]);
    const { pid } = JSON.parse(await server.line()) as { pid: number };
    await server.kill();
    expect(processes({ leader: pid })).toHaveLength(1);
    const chrome = await launch(home, ['--profile', join(home.root, 'p')]);
    expect(chrome.profile.kind).toBe('named');
    expect(processes({ leader: pid })).toEqual([]);
  }, 20_000);

  // The headless shell has no lock of its own by which others could know it.
  it.skipIf(detectProduct(CHROME) === 'headless-shell')(
    "stays with the user's own Chrome, which continues",
    async () => {
      const dir = makeFolder();
      const user = await startForeignChrome(dir);
      try {
        const chrome = await launch(makeHome(), ['--profile', dir]);
        expect(chrome.profile).toMatchObject({
          kind: 'temporary',
          note: expect.stringContaining(`${dir} is in use by a Chrome`),
        });
        await chrome.close();
        expect(processes({ leader: user.pid }).length).toBeGreaterThan(0);
      } finally {
        await user.end();
        await until(() => processes({ leader: user.pid }).length === 0, 5000);
      }
    },
  );

  it('is a temporary one when only Chrome itself knows that it is in use', async () => {
    const home = makeHome();
    const choosy = fakeChrome(`
      if (process.argv.some((flag) => /user-data-dir=.*named/.test(flag))) {
        console.error('Failed to create a ProcessSingleton for your profile directory.');
        process.exit(21);
      }
      answer();
      input.on('data', (text) => /Browser.close/.test(text) && process.exit());
    `);
    const chrome = await launch(home, [
      '--profile',
      join(home.root, 'named'),
      '--chrome-path',
      choosy,
    ]);
    expect(chrome.profile).toMatchObject({
      kind: 'temporary',
      note: expect.stringContaining('in use'),
    });
    expect(existsSync(join(home.root, 'named', 'openchrome.lock'))).toBe(false);
  });
});

describe('the lock of Chrome itself', () => {
  const leftBehind = (dir: string): void =>
    symlinkSync('another-machine-1', join(dir, 'SingletonLock'));
  const isLocked = (dir: string): boolean =>
    lstatSync(join(dir, 'SingletonLock'), { throwIfNoEntry: false }) !== undefined;

  it('is cleared in our own profile when a dead server left it, from whichever machine', async () => {
    const home = makeHome();
    const { profile } = await launch(home).then(async (chrome) => (await chrome.close(), chrome));
    leftBehind(profile.dir);
    writeFileSync(
      join(profile.dir, 'openchrome.lock'),
      JSON.stringify({ holder: dead, token: 't', note: '' }),
    );
    expect((await launch(home)).profile).toEqual({ dir: profile.dir, kind: 'own' });
  });

  it.skipIf(detectProduct(CHROME) === 'headless-shell')(
    'is respected in a profile that the user named',
    async () => {
      const dir = makeFolder();
      leftBehind(dir);
      expect((await launch(makeHome(), ['--profile', dir])).profile).toMatchObject({
        kind: 'temporary',
        note: expect.stringContaining(dir),
      });
      expect(isLocked(dir)).toBe(true);
    },
  );
});

describe('the lock on it', () => {
  const at = (content: unknown, ageMs = 0): string => {
    const path = join(makeFolder(), 'lock');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    const time = new Date(Date.now() - ageMs);
    utimesSync(path, time, time);
    return path;
  };
  const HOUR = 3_600_000;
  const isTaken = async (path: string): Promise<boolean> =>
    'lock' in (await locks.tryTake(path, 'me'));

  it('is taken over from a process whose number was used again, with its note', async () => {
    const path = at({ holder: dead, token: 't', note: 'theirs' });
    expect(await locks.tryTake(path, 'mine')).toMatchObject({ lock: { inherited: 'theirs' } });
    expect(readFileSync(path, 'utf8')).toContain('mine');
  });

  it('is respected while its holder runs', async () => {
    const path = at({ holder: ownIdentity(), token: 't', note: '' }, HOUR);
    expect(await locks.tryTake(path)).toEqual({ heldBy: ownIdentity() });
  });

  it('of another machine is respected until that has been silent for long', async () => {
    const elsewhere = { holder: { ...ownIdentity(), host: 'elsewhere' }, token: 't', note: '' };
    expect(await isTaken(at(elsewhere))).toBe(false);
    expect(await isTaken(at(elsewhere, HOUR))).toBe(true);
  });

  it.each(['', '{"holder": {"pid"', 'null', '[]', '\0\0'])(
    'that is torn (%j) is respected at first and taken over later',
    async (text) => {
      expect(await isTaken(at(text))).toBe(false);
      expect(await isTaken(at(text, HOUR))).toBe(true);
    },
  );

  it('is released once, and never in the place of another', async () => {
    const path = join(makeFolder(), 'lock');
    const taken = await locks.tryTake(path);
    if (!('lock' in taken)) throw new Error('not taken');
    taken.lock[Symbol.dispose]();
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, JSON.stringify({ holder: ownIdentity(), token: 'another', note: '' }));
    taken.lock[Symbol.dispose]();
    expect(existsSync(path)).toBe(true);
  });

  it('is not taken over while another process is about it, unless that died there', async () => {
    const path = at({ holder: dead, token: 't', note: '' });
    const removal = (holder: ProcessIdentity): void =>
      writeFileSync(`${path}.t`, JSON.stringify({ holder, token: 'u' }));
    removal(ownIdentity());
    expect(await isTaken(path)).toBe(false);
    removal(dead);
    expect(await isTaken(path)).toBe(true);
  });

  it('is acquired by exactly one of many concurrent processes, new or stale', async () => {
    for (let round = 0; round < 20; round++) {
      const fresh = join(makeFolder(), 'lock');
      const left = at({ holder: dead, token: 't', note: '' });
      for (const path of [fresh, left]) {
        const results = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => (await sleep(i % 3), isTaken(path))),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
      }
    }
  });
});
