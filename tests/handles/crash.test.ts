// If a process dies at any moment while it stores a payload, or the disk fails, the handle is
// complete, or the next sweep removes all its files.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { bundleOnce } from '../bundled-programs.ts';
import { killWhileStoring } from './kill-storing.ts';
import { TestStore } from './store.ts';

const run = promisify(execFile);

let script: string;
beforeAll(async () => {
  script = await bundleOnce('tests/handles/storing.ts');
});

it('40 kills at random moments leave whole handles and no other files', { timeout: 300_000 }, () =>
  killWhileStoring(40),
);

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
