// A process of its own that counts up in a file under a lock: `node lock-taker.mjs FOLDER COUNT
// [hold]`. Prints every number that it wrote.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses } from '../../src/system/process-identity.ts';
import { sleep } from '../../src/core/time.ts';
import { Locks } from '../../src/system/lock.ts';

const [, , folder = '', count = '0', hold] = process.argv;
const locks = new Locks(createProcesses());
const counter = join(folder, 'counter');
for (let i = 0; i < Number(count); i++) {
  using _lock = await locks.take(join(folder, 'lock'));
  if (hold) {
    process.stdout.write('held\n');
    await sleep(60_000);
  }
  const n = Number(readFileSync(counter, 'utf8')) + 1;
  await Promise.resolve();
  writeFileSync(counter, String(n));
  process.stdout.write(`${n}\n`);
}
