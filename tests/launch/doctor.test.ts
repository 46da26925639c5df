// The doctor on this machine, and on ones with something broken.
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome, type Home } from '../../src/core/home.ts';
import { runDoctor, type Finding } from '../../src/features/doctor/index.ts';
import { fakeChrome, makeFolder, makeHome, quiet } from './support.ts';

const examine = async (
  home: Home,
  flags: readonly string[] = [],
): Promise<Record<string, Finding>> => {
  const config = resolveConfig({ flags: ['--headless', ...flags], env: process.env });
  const findings = await runDoctor({
    config,
    home,
    log: quiet,
    signal: new AbortController().signal,
  });
  return Object.fromEntries(findings.map((finding) => [finding.id, finding]));
};

describe('the doctor', () => {
  it('finds this machine well, really starts Chrome, and leaves nothing behind', async () => {
    const home = makeHome();
    const findings = await examine(home);
    expect(Object.keys(findings)).toEqual([
      'version',
      'node',
      'home',
      'ports',
      'chrome',
      'launch',
      'sandbox',
      'fonts',
      'config',
      'hosts',
      'disk',
    ]);
    expect(Object.values(findings).filter(({ status }) => status === 'fail')).toEqual([]);
    expect(findings['launch']?.message).toMatch(
      /Chrome\/\d+.* answered without a window after \d+ ms/,
    );
    expect(findings['fonts']?.message).toBe('text has a size');
    expect(readdirSync(home.run)).toEqual([]);
    expect(existsSync(home.profile)).toBe(false);
  });

  it('reports a Chrome that does not exist, and continues', async () => {
    const findings = await examine(makeHome(), ['--chrome-path', '/no/chrome']);
    expect(findings['chrome']).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('/no/chrome'),
      fix: expect.stringContaining('--chrome-path'),
    });
    expect(findings['launch']).toMatchObject({ status: 'fail' });
    expect(findings['fonts']).toMatchObject({ status: 'warn' });
    expect(findings['ports']).toMatchObject({ status: 'ok' });
  });

  it('reports why a Chrome does not start, with its own message and a fix', async () => {
    const path = fakeChrome(
      `console.error('error while loading shared libraries: libnss3.so: cannot open'); process.exit(127);`,
    );
    expect((await examine(makeHome(), ['--chrome-path', path]))['launch']).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/a shared library is missing.*libnss3\.so/),
      fix: expect.stringContaining('Install the missing library'),
    });
  });

  it('recommends another Chrome, not itself, if a Chrome ends for an unknown reason', async () => {
    const path = fakeChrome(`console.error('unheard of'); process.exit(9);`);
    const findings = await examine(makeHome(), ['--chrome-path', path]);
    expect(findings['launch']).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('install-browser'),
    });
    expect(JSON.stringify(Object.values(findings).map(({ fix }) => fix))).not.toContain('doctor');
  });

  it('sees a home folder that cannot be written, or that others can look into', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    expect(
      (await examine(resolveHome({ OPENCHROME_HOME: join(file, 'home') })))['home'],
    ).toMatchObject({
      status: 'fail',
      fix: expect.anything(),
    });
    const open = resolveHome({ OPENCHROME_HOME: join(makeFolder(), 'home') });
    mkdirSync(open.root);
    chmodSync(open.root, 0o755);
    expect((await examine(open))['home']).toMatchObject({
      status: 'warn',
      fix: `chmod 700 "${open.root}"`,
    });
  });

  it('sees that the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { ports } = await examine(makeHome(), ['--http', String(port)]);
    server.close();
    expect(ports).toMatchObject({
      status: 'fail',
      message: expect.stringContaining(`127.0.0.1:${port}`),
      fix: expect.stringContaining('--http'),
    });
  });
});
