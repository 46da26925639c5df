// The built `openchrome` as a shell meets it: output, exit statuses, configuration from a file.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/features/doctor/index.ts';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
  folder = await mkdtemp(join(tmpdir(), 'openchrome-binary-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const openchrome = (...args: string[]): Promise<Run> =>
  new Promise((resolve) => {
    const env = { ...process.env, OPENCHROME_HOME: join(folder, 'home') };
    const child = execFile(
      process.execPath,
      [BINARY, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) =>
        resolve({
          status: typeof error?.code === 'number' ? error.code : error ? 255 : 0,
          stdout,
          stderr,
        }),
    );
    child.stdin?.end();
  });

const codeIn = (text: string): string =>
  (JSON.parse(text) as { error: { code: string } }).error.code;

describe('openchrome', () => {
  it('prints its version and its help', async () => {
    expect(await openchrome('version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    expect((await openchrome('--help')).stdout).toContain('Usage: openchrome [command] [options]');
    expect((await openchrome('serve', '--help')).stdout).toContain('--http <PORT>');
  });

  it('names the closest command and ends with status 2', async () => {
    const { status, stdout, stderr } = await openchrome('dcotor');
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('did you mean doctor?');
    expect(stderr).toContain('(invalid_argument)');
  });

  it('refuses to serve with a flag that it does not know, on stderr, since stdout is the protocol', async () => {
    const { status, stdout, stderr } = await openchrome('--htpp', '1');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(codeIn(stderr)).toBe('invalid_argument');
  });

  it('exits cleanly when its client disconnects', async () => {
    expect(await openchrome('serve')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('reads its configuration from openchrome.json and reports errors in it', async () => {
    const file = join(folder, 'openchrome.json');
    await writeFile(file, '{"logLevle": "debug"}');
    const { status, stderr } = await openchrome();
    await rm(file);
    expect(status).toBe(2);
    expect(stderr).toContain('did you mean logLevel?');
  });
});

describe('openchrome doctor', () => {
  it('finds and really starts a Chrome', async () => {
    const { status, stdout } = await openchrome('doctor', '--json');
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.filter((finding) => finding.status === 'fail')).toEqual([]);
    expect(status).toBe(0);
    expect(findings.map(({ id }) => id)).toEqual(
      'version node home ports chrome launch sandbox fonts config hosts disk daemon'.split(' '),
    );
    for (const finding of findings) {
      expect(finding).toMatchObject({ id: expect.any(String), message: expect.any(String) });
      if (finding.status !== 'ok') expect(finding.fix, finding.id).toEqual(expect.any(String));
    }
    const find = (id: string): string | undefined =>
      findings.find((finding) => finding.id === id)?.message;
    expect(find('config')).toContain('OPENCHROME_HOME');
    expect(find('disk')).toMatch(/^[\d.]+ [MG]B in .*that can be deleted: [\d.]+ [MG]B$/);
  });

  it('fails if the configured Chrome does not exist', async () => {
    const { status, stdout } = await openchrome(
      'doctor',
      '--json',
      '--chrome-path',
      join(folder, 'no-such-chrome'),
    );
    const findings = JSON.parse(stdout) as Finding[];
    expect(status).toBe(1);
    expect(findings.some((finding) => finding.status === 'fail' && finding.fix !== undefined)).toBe(
      true,
    );
  });
});
