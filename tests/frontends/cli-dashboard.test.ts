// `openchrome dashboard`: starts the daemon, and prints or opens a URL that works once.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { send, takeAccess } from '../dashboard/dashboard-server.ts';
import { createShellUser, type ShellUser } from './shell.ts';

const URL_PATTERN = /^http:\/\/127\.0\.0\.1:\d+\/\?ticket=[\w-]+$/;
let user: ShellUser;

beforeEach(async () => {
  user = await createShellUser();
});

it('starts the daemon if none runs, and prints a URL that opens its dashboard once', async () => {
  const url = await user.text('dashboard', '--no-open');
  expect(url).toMatch(URL_PATTERN);
  const { pid, port } = await user.note();
  const { origin } = new URL(url);
  expect(origin).toBe(`http://127.0.0.1:${port}`);
  const headers = await takeAccess(url);
  const { text } = await send(origin, '/dashboard/state', { headers });
  expect(JSON.parse(text)).toMatchObject({ readonly: false, health: { pid } });
  expect(await takeAccess(url)).toEqual({ cookie: '', 'x-openchrome-key': '' });
});

it('uses the daemon that runs, with a new ticket each time, also as JSON', async () => {
  await user.text('daemon', 'start');
  const { pid } = await user.note();
  const first = await user.text('dashboard', '--no-open');
  const second = JSON.parse(await user.text('dashboard', '--no-open', '--json')) as {
    url: string;
    opened: boolean;
  };
  expect(second).toEqual({ url: expect.stringMatching(URL_PATTERN) as string, opened: false });
  expect(second.url).not.toBe(first);
  expect((await user.note()).pid).toBe(pid);
});

it.skipIf(process.platform !== 'linux')(
  'opens the URL with the program of the desktop and does not print the ticket',
  async () => {
    const opened = join(user.folder, 'opened');
    const opener = join(user.folder, 'bin', 'xdg-open');
    await writeFile(
      opener,
      `#!/bin/sh\necho "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    );
    await chmod(opener, 0o755);
    const { status, stdout } = await user.runFile('openchrome', ['dashboard'], {
      env: { DISPLAY: ':0' },
    });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'Opened the dashboard in your browser.\n',
    });
    await expect
      .poll(() => readFile(opened, 'utf8').catch(() => ''), { timeout: 10_000 })
      .toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?ticket=[\w-]+\n$/);
  },
);
