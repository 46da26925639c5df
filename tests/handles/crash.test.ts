// If a process dies at any moment while it stores a payload, or the disk fails, the handle is
// complete, or the next sweep removes all its files.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { bundleOnce } from '../bundled-programs.ts';
import { TestStore } from './store.ts';

const KILLS = 200;
const run = promisify(execFile);

let script: string;
beforeAll(async () => {
  script = await bundleOnce('tests/handles/storing.ts');
});

interface Told {
  readonly handle: string;
  readonly count: number;
}

/** Lets a process store until a random moment, kills it, and returns the handles it had printed. */
const storeAndKill = async (store: TestStore, afterMs: number): Promise<Told[]> => {
  const child = spawn(process.execPath, [script, 'on', store.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: Told[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const said = JSON.parse(line) as Partial<Told>;
    if (said.handle !== undefined) told.push(said as Told);
    // it is ready: from here on the moment is random
    else setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await ended(child);
  lines.close();
  return told;
};

const ended = async (child: ChildProcess): Promise<void> => void (await once(child, 'close'));

it(
  `${KILLS} kills at random moments leave whole handles and nothing else`,
  { timeout: 300_000 },
  async () => {
    let leftovers = 0;
    const series = async (kills: number): Promise<void> => {
      const store = await TestStore.create();
      try {
        for (let i = 0; i < kills; i++) {
          const told = await storeAndKill(store, Math.random() * 40);
          leftovers += (await store.sweep()).files;
          await expectWhole(store, told);
          await store.sweep(Date.now() + 7_200_000);
          expect(await store.files()).toEqual([]);
        }
      } finally {
        await store.remove();
      }
    };
    await Promise.all([series(KILLS / 2), series(KILLS / 2)]);
    // else the kills came at harmless moments and show nothing
    expect(leftovers).toBeGreaterThan(KILLS / 10);
  },
);

/** Every printed handle exists, and every file belongs to a handle that can be fetched. */
const expectWhole = async (store: TestStore, told: readonly Told[]): Promise<void> => {
  for (const { handle, count } of told) {
    const page = await store.fetch(handle, { offset: Math.max(0, count - 1) });
    expect(page).toMatchObject({ total: count, eof: true, content: [{ n: count - 1 }] });
  }
  for (const name of await store.files()) {
    const handle = /^(oh_[A-Z2-7]{12})\.(?:meta\.)?json$/.exec(name)?.[1];
    expect(handle, name).toBeDefined();
    expect((await store.fetch(handle ?? '')).returned).toBeGreaterThan(0);
  }
};

interface Outcome {
  readonly failure: { readonly error: { readonly code: string; readonly message: string } };
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

it.runIf(canMount)('a full disk is a structured failure, and leaves no half file', async () => {
  const store = await TestStore.create();
  // A mount that only this process sees, and that ends with it.
  const commands =
    'mount -t tmpfs -o size=1m tmpfs "$1" && "$2" "$3" once "$1" 5000000 && find "$1" -type f';
  const { stdout } = await run('unshare', [
    '-m',
    'sh',
    '-c',
    commands,
    'sh',
    store.folder,
    process.execPath,
    script,
  ]);
  const [outcome, ...files] = stdout.trim().split('\n');
  expect(JSON.parse(outcome ?? '') as Outcome).toMatchObject({
    failure: { error: { code: 'storage_failed', retryable: true } },
  });
  expect(outcome).toContain('the disk is full');
  expect(files).toEqual([]);
  await store.remove();
});

it.runIf(process.platform === 'linux')(
  'a limit on the size of files is a full disk too',
  async () => {
    const store = await TestStore.create();
    const commands = 'trap "" XFSZ; ulimit -f 1000; "$1" "$2" once "$3" 5000000';
    const { stdout } = await run('bash', [
      '-c',
      commands,
      'bash',
      process.execPath,
      script,
      store.folder,
    ]);
    expect(JSON.parse(stdout) as Outcome).toMatchObject({
      failure: { error: { code: 'storage_failed' } },
    });
    expect(await store.files()).toEqual([]);
    await store.remove();
  },
);
