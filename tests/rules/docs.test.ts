// The generated pages of docs/ are what `npm run gen` would write now.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { EXCEPTIONS } from '../extension/exceptions.ts';
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

it('docs/own-chrome.md lists the reasons for tests that do not run over the extension', () => {
  const page = readFileSync(join(ROOT, 'docs/own-chrome.md'), 'utf8');
  expect(EXCEPTIONS.map(({ reason }) => reason).filter((reason) => !page.includes(reason))).toEqual(
    [],
  );
});
