// The files of the build: each of them loads by itself.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../dist/chunks/', import.meta.url);

/** Loads the files one after the other, and prints the errors. */
const LOAD_ALL = `
  for (const file of process.argv.slice(1))
    await import(file).catch((error) => console.log(file, error.message));
  process.exit();`;

it('every chunk of the build loads, also those that only one way to use the server needs', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.js'));
  const files = names.map((name) => new URL(name, FOLDER).href);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', LOAD_ALL, ...files],
    { cwd: fileURLToPath(FOLDER) },
  );
  expect(files.length).toBeGreaterThan(100);
  expect(stdout).toBe('');
});
