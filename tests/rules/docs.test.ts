// The generated pages of docs/ are what `npm run gen` would write now.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const run = promisify(execFile);

it('are up to date', async () => {
  const complaints = await run(process.execPath, ['scripts/gen.mjs', '--check'], {
    cwd: ROOT,
  }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );
  expect(complaints).toBe('');
});
