// Kills processes at random moments while they store payloads, and checks the files that they leave.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { bundleOnce } from '../bundled-programs.ts';
import { TestStore } from './store.ts';

interface Told {
  readonly handle: string;
  readonly count: number;
}

/** Lets a process store until a random moment, kills it, and returns the handles it had printed. */
const storeAndKill = async (store: TestStore, afterMs: number): Promise<Told[]> => {
  const script = await bundleOnce('tests/handles/storing.ts');
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
  await once(child, 'close');
  lines.close();
  return told;
};

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

/** Returns the number of files that the sweeps removed after the kills. */
const killSeries = async (kills: number): Promise<number> => {
  const store = await TestStore.create();
  let leftovers = 0;
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
  return leftovers;
};

/** Each kill leaves whole handles and no other files. */
export const killWhileStoring = async (kills: number): Promise<void> => {
  const [one, other] = await Promise.all([killSeries(kills / 2), killSeries(kills / 2)]);
  // Otherwise the kills came at harmless moments and show nothing.
  expect(one + other).toBeGreaterThan(kills / 10);
};
