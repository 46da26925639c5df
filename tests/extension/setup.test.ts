// `openchrome setup --extension` of the built program, with a real Chrome.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BINARY } from '../frontends/shell.ts';
import { confirmPairing, startUserChrome, type UserChrome } from './user-chrome.ts';

let folder = '';
let chrome: UserChrome;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  chrome = await startUserChrome(folder);
});
afterAll(async () => {
  await chrome?.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

interface Offer {
  readonly folder: string;
  readonly url: string;
  readonly digits: string;
}

it('prints the folder, the address and the digits, and ends when the user has confirmed', async () => {
  const env = { ...process.env, OPENCHROME_HOME: join(folder, 'home') };
  const program = spawn(process.execPath, [BINARY, 'setup', '--extension', '--json'], { env });
  const exit = once(program, 'exit');
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const { value: first } = (await lines.next()) as { value: string };
  const offer = JSON.parse(first) as Offer;
  expect(existsSync(join(offer.folder, 'manifest.json'))).toBe(true);
  await confirmPairing(chrome, offer);
  expect((await lines.next()).value).toBe('{"paired":true}');
  expect(await exit).toEqual([0, null]);
  expect(existsSync(join(folder, 'home', 'extension.json'))).toBe(true);
});
