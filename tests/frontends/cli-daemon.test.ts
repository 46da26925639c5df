// The daemon as a user of the command line sees it: settings, restarts, lost tabs, hints and paths.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { alive } from './servers.ts';
import { BINARY, createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;

beforeEach(async () => {
  user = await createShellUser();
});

it('rejects a flag or a project setting that differs, and names the command that resolves it', async () => {
  await user.text('daemon', 'start');
  expect(await user.failure('tabs', '--viewport', '800x600')).toMatchObject({
    code: 'daemon_settings_mismatch',
    hint: expect.stringContaining('openchrome daemon restart --viewport 800x600') as string,
    status: 3,
  });
  expect(await user.failure('tabs', '--log-level', 'debug')).toMatchObject({
    code: 'daemon_settings_mismatch',
    hint: expect.stringContaining('openchrome daemon restart --log-level debug') as string,
  });
  await user.text('daemon', 'restart', '--viewport', '800x600');
  expect(await user.run('tabs', '--viewport', '800x600')).toMatchObject({ status: 0 });
  await writeFile(join(user.folder, 'openchrome.json'), '{"viewport":"900x700"}');
  expect(await user.failure('tabs')).toMatchObject({
    hint: expect.stringMatching(/: openchrome daemon restart$/) as string,
  });
  await user.text('daemon', 'restart');
  const status = await user.text('daemon', 'status');
  expect(status).toMatch(/--viewport +900x700 +\S*openchrome\.json/);
  expect(status).toMatch(/--headless +true +OPENCHROME_HEADLESS/);
  expect(status).toMatch(/--output-mode +inline +default/);
});

it('reports once that the tabs of a daemon that was killed are gone, and how to open a page', async () => {
  const origin = await serveSite((_, response) => void response.end('<h1>Shop</h1>'));
  await user.text('open', origin);
  const { pid } = await user.note();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => alive(pid)).toBe(false);
  const first = await user.run('state');
  expect(first.status).toBe(1);
  expect(first.stderr).toMatch(/^The daemon \(pid \d+\) ended unexpectedly: its tabs are gone\.\n/);
  expect(first.stderr).toContain('(no_page)');
  expect(first.stderr).toContain('openchrome open URL');
  expect((await user.run('get', 'url', '--session', 'empty')).stderr).toMatch(
    /^error: No page is open in the session "empty"\. \(no_page\)\n {2}Open a page first with openchrome open URL/,
  );
});

it('names commands in hints, where an MCP client reads the names of tools', async () => {
  await user.text('daemon', 'start');
  const { hint } = await user.failure('state');
  expect(hint).toContain('openchrome open URL');
  expect(hint).not.toContain('navigate');
  const overMcp = JSON.parse(await user.overMcp('read_page', {})) as { error: { hint: string } };
  expect(overMcp.error.hint).toContain('navigate {url}');
});

it('writes files anywhere for a user, but not for an MCP client', async () => {
  const origin = await serveSite((_, response) => void response.end('<h1>Shop</h1>'));
  await user.text('open', origin);
  const outside = join(user.home, '..', `openchrome-outside-${process.pid}.webp`);
  expect(await user.text('screenshot', outside)).toContain(
    `openchrome-outside-${process.pid}.webp`,
  );
  expect((await readFile(outside)).subarray(8, 12).toString()).toBe('WEBP');
  expect(await user.overMcp('page_screenshot', { path: outside })).toContain('file_not_allowed');
  await user.runFile('rm', [outside]);
});

it('watch prints each call as it happens, until Ctrl-C', async () => {
  await user.text('daemon', 'start');
  await user.text('tabs');
  const watching = user.begin('watch');
  await expect
    .poll(
      async () => {
        await user.run('find', 'x', '--session', 'watched');
        return watching.lines().some((line) => line.includes('  watched  find  no_page  '));
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  watching.interrupt();
  expect(await watching.ended).toBe(130);
});

/** Ends the daemon when its status is requested. */
const END_AT_STATUS = `import { Server } from 'node:http';
const { emit } = Server.prototype;
Server.prototype.emit = function (name, request, ...rest) {
  if (name === 'request' && request.url === '/daemon/status') {
    process.stderr.write('out of luck\\n');
    process.exit(7);
  }
  return emit.call(this, name, request, ...rest);
};`;

it('daemon start and status report a daemon that ends before it has sent its status', async () => {
  const patch = join(user.folder, 'end.mjs');
  await writeFile(patch, END_AT_STATUS);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(patch).href}` };
  const run = async (...args: string[]) =>
    user.runFile(process.execPath, [BINARY, ...args, '--json'], { env });
  const started = await run('daemon', 'start');
  expect(started.status).toBe(3);
  expect(JSON.parse(started.stdout)).toMatchObject({
    error: {
      code: 'daemon_start_failed',
      log: expect.arrayContaining([expect.stringContaining('out of luck')]),
    },
  });
  await run('open', 'about:blank'); // starts a daemon
  const { stdout } = await run('daemon', 'status');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'daemon_lost' } });
});
