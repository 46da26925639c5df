// Compiled code on disk: used only from a folder that no other user can change, and never needed.
import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveHome } from '../../src/core/home.ts';
import { BINARY, type Run } from './shell.ts';

const isSupported = 'enableCompileCache' in nodeModule;
const isRoot = process.getuid?.() === 0;

const useHome = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-cache-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const home = resolveHome({ OPENCHROME_HOME: join(folder, 'home') });
  const run = (...args: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [BINARY, ...args],
        {
          cwd: folder,
          env: { PATH: process.env['PATH'], HOME: folder, OPENCHROME_HOME: home.root },
        },
        (error, stdout, stderr) =>
          resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  const listFiles = async (): Promise<string[]> => {
    const entries = await readdir(home.compiledCode, {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  };
  return { home, run, listFiles };
};

const VERSION = { status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' };

describe.runIf(isSupported)('the cache of compiled code', () => {
  it('is written by the first start, to a folder that only its owner can open', async () => {
    const { home, run, listFiles } = await useHome();
    expect(await run('version')).toMatchObject(VERSION);
    expect(await listFiles()).not.toEqual([]);
    expect((await stat(home.compiledCode)).mode & 0o077).toBe(0);
  });

  it.each([
    ['empty', (): Buffer => Buffer.alloc(0)],
    ['truncated', (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2)],
    ['damaged', (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x55))],
    ['of another version', (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(4), bytes])],
  ])('is ignored and written again if its files are %s', async (_, change) => {
    const { run, listFiles } = await useHome();
    await run('version');
    const files = await listFiles();
    for (const file of files) await writeFile(file, change(await readFile(file)));
    const changed = await Promise.all(files.map((file) => readFile(file)));
    expect(await run('version')).toMatchObject(VERSION);
    const written = await Promise.all(files.map((file) => readFile(file)));
    expect(written.every((bytes, i) => !bytes.equals(changed[i] as Buffer))).toBe(true);
  });

  it.each([
    ['itself', (home: ReturnType<typeof resolveHome>) => home.compiledCode],
    ['above it', (home: ReturnType<typeof resolveHome>) => home.cache],
    ['of the home', (home: ReturnType<typeof resolveHome>) => home.root],
  ])('is not used if others can write to the folder %s', async (_, choose) => {
    const { home, run, listFiles } = await useHome();
    await mkdir(home.compiledCode, { recursive: true, mode: 0o700 });
    await chmod(choose(home), 0o777);
    expect(await run('version')).toMatchObject(VERSION);
    expect(await listFiles()).toEqual([]);
  });

  it.runIf(isRoot)('is not used if the folder belongs to another user', async () => {
    const { home, run, listFiles } = await useHome();
    await mkdir(home.compiledCode, { recursive: true, mode: 0o700 });
    await chown(home.compiledCode, 65534, 65534);
    expect(await run('version')).toMatchObject(VERSION);
    expect(await listFiles()).toEqual([]);
  });
});

it('a command that does not need the home folder works if it cannot be created', async () => {
  const { home, run } = await useHome();
  await writeFile(home.root, 'a file instead of a folder');
  expect(await run('version')).toMatchObject(VERSION);
});

it('errors of the start are the same with the second start, which may use the cache', async () => {
  const { run } = await useHome();
  const first = await run('--htpp', '1');
  expect(first).toMatchObject({ status: 2, stdout: '' });
  expect(first.stderr).toContain('invalid_argument');
  expect(await run('--htpp', '1')).toEqual(first);
});
