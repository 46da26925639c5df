// Reaping: ends the Chromes of dead servers, and nothing else.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  newOwnerId,
  ownerMark,
  reapOrphans,
  saveOwnership,
} from '../../src/browser/launch/ownership.ts';
import {
  ownIdentity,
  findProcessState,
  type ProcessIdentity,
} from '../../src/system/process-identity.ts';
import {
  fakeChrome,
  launch,
  makeHome,
  processes,
  startServer,
  until,
  useServers,
} from './support.ts';

useServers();

const dead: ProcessIdentity = { ...ownIdentity(), started: 'long ago' };

const DIST = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/** Does not notice that its server exited, and ignores requests to end. */
const immortal = (): string => fakeChrome(`process.on('SIGTERM', () => {}); answer(); stay();`);

describe('reaping', () => {
  it('ends a Chrome whose server was killed, and removes its files', async () => {
    const home = makeHome();
    const server = startServer(home, 'idle', ['--isolated', '--chrome-path', immortal()]);
    const { pid, profile } = JSON.parse(await server.line()) as {
      pid: number;
      profile: { dir: string };
    };
    expect(await reapOrphans({ home })).toEqual({ reaped: [], alive: 1 });
    await server.kill();
    expect(processes({ leader: pid })).toHaveLength(1);
    expect(await reapOrphans({ home })).toEqual({
      reaped: [{ pid, server_pid: server.pid }],
      alive: 0,
    });
    expect(processes({ leader: pid })).toEqual([]);
    expect(existsSync(profile.dir)).toBe(false);
    expect(readdirSync(home.run)).toEqual([]);
    expect(await reapOrphans({ home })).toEqual({ reaped: [], alive: 0 });
  }, 20_000);

  it('happens in the next server of the home, also if it never gets a call', async () => {
    const home = makeHome();
    const server = startServer(home, 'idle', ['--isolated', '--chrome-path', immortal()]);
    const { pid } = JSON.parse(await server.line()) as { pid: number };
    await server.kill();
    expect(readdirSync(home.run)).not.toEqual([]);
    const next = spawn(process.execPath, [DIST, '--headless'], {
      env: { ...process.env, OPENCHROME_HOME: home.root },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    onTestFinished(() => void next.kill('SIGKILL'));
    expect(await until(() => readdirSync(home.run).length === 0, 20_000)).toBe(true);
    expect(processes({ leader: pid })).toEqual([]);
  }, 30_000);

  it('keeps the Chromes of running servers and of other homes, and those that are not ours', async () => {
    const home = makeHome();
    const mine = await launch(home, ['--isolated']);
    const elsewhere = await launch(makeHome(), ['--isolated']);
    const users = spawn(
      process.execPath,
      ['-e', 'setInterval(() => {}, 1000)', 'chrome', '--user-data-dir=/x'],
      { stdio: 'ignore' },
    );
    await saveOwnership(home, { id: newOwnerId(), server: dead });
    try {
      expect(await reapOrphans({ home })).toEqual({ reaped: [], alive: 1 });
      for (const pid of [mine.pid, elsewhere.pid, users.pid ?? 0])
        expect(() => process.kill(pid, 0)).not.toThrow();
    } finally {
      users.kill('SIGKILL');
    }
  });

  it('matches a process only if the mark is a separate argument', async () => {
    const home = makeHome();
    const id = newOwnerId();
    await saveOwnership(home, { id, server: dead });
    const editor = spawn(
      process.execPath,
      ['-e', 'setInterval(() => {}, 1000)', `notes about ${ownerMark(id)} and more`],
      {
        stdio: 'ignore',
      },
    );
    try {
      await until(() => processes({ word: ownerMark(id) }).length > 0, 5000);
      expect((await reapOrphans({ home })).reaped).toEqual([]);
      expect(() => process.kill(editor.pid ?? 0, 0)).not.toThrow();
    } finally {
      editor.kill('SIGKILL');
    }
  });

  it('continues after torn files, and deletes no folder except a temporary profile', async () => {
    const home = makeHome();
    const keep = join(home.root, 'precious');
    mkdirSync(keep, { recursive: true });
    const [torn, lying] = [newOwnerId(), newOwnerId()];
    await saveOwnership(home, { id: lying, server: dead, temporaryProfile: keep });
    writeFileSync(join(home.run, `chrome-${torn}.json`), '{"id": ');
    expect(await reapOrphans({ home })).toEqual({ reaped: [], alive: 0 });
    expect(existsSync(keep)).toBe(true);
    expect(readdirSync(home.run)).toEqual([`chrome-${torn}.json`]);
  });

  it('finds nothing in a home that was never used', async () => {
    expect(await reapOrphans({ home: makeHome() })).toEqual({ reaped: [], alive: 0 });
  });
});

describe('a process identity', () => {
  it('distinguishes a running process from a dead one, and from another with the same number', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'ignore',
    });
    expect(await findProcessState(ownIdentity())).toBe('running');
    expect(await findProcessState({ ...ownIdentity(), pid: child.pid ?? 0 })).toBe('gone');
    expect(await findProcessState({ ...ownIdentity(), pid: 2 ** 22 + 1 })).toBe('gone');
    expect(await findProcessState({ ...ownIdentity(), host: 'another' })).toBe('elsewhere');
    child.kill('SIGKILL');
  });
});
