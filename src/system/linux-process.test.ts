// The memory of a process group: private memory of each process, shared memory once.
import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { measureGroupMemory } from './linux-process.ts';

const MB = 1024 * 1024;

/** Starts a group of two processes, each with this much memory of its own. */
const startGroup = async (megabytes: number): Promise<number> => {
  const fill = `const bytes = Buffer.alloc(${megabytes} * ${MB}, 1);`;
  const child = `${fill} console.log(bytes.length); setInterval(() => {}, 1000)`;
  const parent = `${fill} const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', ${JSON.stringify(child)}])
      .stdout.once('data', () => console.log(bytes.length))`;
  const group = spawn(process.execPath, ['-e', parent], { detached: true });
  const pid = group.pid ?? 0;
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  await new Promise((resolve) => group.stdout.once('data', resolve));
  return pid;
};

it.runIf(process.platform === 'linux')(
  'the memory of a group contains the memory of each of its processes',
  async () => {
    const bytes = await measureGroupMemory(await startGroup(100));
    expect(bytes).toBeGreaterThan(200 * MB);
    expect(bytes).toBeLessThan(600 * MB);
  },
);

it.runIf(process.platform === 'linux')('a group without processes has no memory', async () => {
  expect(await measureGroupMemory(2 ** 30)).toBeUndefined();
});
