// The lock between processes: one holder at a time, also if a holder dies.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createProcesses } from '../../src/system/process-identity.ts';
import type { ProcessState } from '../../src/system/process-identity.ts';
import { Locks } from '../../src/system/lock.ts';
import { bundleOnce } from '../bundled-programs.ts';
import { readRunFolder } from '../run-folder.ts';

let taker = '';
let folder = '';
const own = createProcesses().own;

const take = (
  ...args: string[]
): { child: ReturnType<typeof spawn>; said: () => string[]; done: Promise<unknown> } => {
  const child = spawn(process.execPath, [taker, folder, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    said: () => text.split('\n').filter((line) => line !== ''),
    done: once(child, 'close'),
  };
};

/** Takes the lock in a process that is then killed while it holds it. */
const leaveDeadLock = async (): Promise<void> => {
  const holder = take('1', 'hold');
  await expect.poll(() => holder.said()).toEqual(['held']);
  holder.child.kill('SIGKILL');
  await holder.done;
};

/** Every try to take the lock begins with a draft of it. */
const triesToTake = (): ((count: number) => Promise<void>) => {
  const drafts = new Set<string>();
  const watcher = watch(folder, (_, name) => name?.endsWith('.tmp') && drafts.add(name));
  onTestFinished(() => watcher.close());
  return (count) =>
    expect.poll(() => drafts.size, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
};

beforeAll(async () => {
  taker = await bundleOnce('tests/tasks/lock-taker.ts');
});
beforeEach(async () => {
  folder = await mkdtemp(join(readRunFolder(), 'lock-'));
  await writeFile(join(folder, 'counter'), '0');
});

describe('a lock', () => {
  it('lets one process in at a time', async () => {
    const takers = Array.from({ length: 4 }, () => take('100'));
    await Promise.all(takers.map(({ done }) => done));
    const numbers = takers.flatMap(({ said }) => said().map(Number)).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
    expect(await readdir(folder)).toEqual(['counter']);
  });

  it('of a dead process is removed once, by any number of finders', async () => {
    await leaveDeadLock();
    const takers = Array.from({ length: 4 }, () => take('25'));
    await Promise.all(takers.map(({ done }) => done));
    expect(await readFile(join(folder, 'counter'), 'utf8')).toBe('100');
    expect(new Set(takers.flatMap(({ said }) => said())).size).toBe(100);
    expect(await readdir(folder)).toEqual(['counter']);
  });

  it('is taken away also when a process died while taking it away', async () => {
    await leaveDeadLock();
    const { token } = JSON.parse(await readFile(join(folder, 'lock'), 'utf8')) as { token: string };
    await writeFile(
      join(folder, `lock.${token}`),
      JSON.stringify({ holder: { ...own, pid: 2 ** 22 - 1 }, token: '0123456789abcdef' }),
    );
    await take('1').done;
    expect(await readFile(join(folder, 'counter'), 'utf8')).toBe('1');
    expect(await readdir(folder)).toEqual(['counter']);
  });

  it('of a running process is kept', async () => {
    const holder = take('1', 'hold');
    await expect.poll(() => holder.said()).toEqual(['held']);
    const before = await readFile(join(folder, 'lock'), 'utf8');
    const tries = triesToTake();
    const next = take('1');
    await tries(3);
    expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(before);
    expect(next.said()).toEqual([]);
    holder.child.kill('SIGKILL');
    await next.done;
    expect(next.said()).toEqual(['1']);
  });

  it.each<[string, ProcessState | undefined]>([
    ['on another machine', 'elsewhere'],
    ['whose name cannot be read', undefined],
  ])('of a holder %s is waited for, until it is too old to be true', async (_, state) => {
    const path = join(folder, 'lock');
    await writeFile(
      path,
      state
        ? JSON.stringify({ holder: { pid: 1, started: 'x', host: 'y' }, token: '0123456789abcdef' })
        : 'torn',
    );
    const locks = new Locks({ own, stateOf: async () => state ?? 'gone' });
    let taken = false;
    const tries = triesToTake();
    const mine = locks.take(path).then((lock) => ((taken = true), lock));
    await tries(3);
    expect(taken).toBe(false);
    await utimes(path, new Date(0), new Date(0));
    (await mine)[Symbol.dispose]();
    expect(await readdir(folder)).toEqual(['counter']);
  });

  it('is released if the work under it throws', async () => {
    const locks = new Locks(createProcesses());
    const work = async (): Promise<void> => {
      using _lock = await locks.take(join(folder, 'lock'));
      throw new Error('broken');
    };
    await expect(work()).rejects.toThrow('broken');
    await expect(work()).rejects.toThrow('broken');
    expect(await readdir(folder)).toEqual(['counter']);
  });
});
