// `openchrome evidence verify`: intact bundles, changed bundles, and files that are not bundles.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../src/features/evidence/bundle.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { unpackedFolder } from './archive.ts';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const site = useSite({
  '/': '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>',
});
const engine = useEngine();

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const verify = (...words: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const home = mkdtempSync(join(tmpdir(), 'openchrome-home-'));
    const env = { ...process.env, OPENCHROME_HOME: home, NO_COLOR: '1' };
    execFile(
      process.execPath,
      [BINARY, 'evidence', 'verify', ...words],
      { env },
      (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

const saveBundle = async (): Promise<string> => {
  await engine.text('navigate', { url: site.origin });
  const { path } = await engine.json<Bundle>('oc_evidence_bundle', { parts: ['dom', 'console'] });
  return path;
};

/** Packs the files of a bundle again after a change. */
const repack = async (change: (folder: string) => void): Promise<string> => {
  const folder = unpackedFolder(await saveBundle());
  change(folder);
  const changed = join(dirname(folder), 'changed.tar.gz');
  execFileSync('tar', ['czf', changed, '-C', dirname(folder), folder.split('/').at(-1) ?? '']);
  return changed;
};

describe('openchrome evidence verify', () => {
  it('accepts a bundle as it was saved, and names its page', async () => {
    const { status, stdout } = await verify(await saveBundle());
    expect(stdout).toContain(`Page      ${site.origin}/`);
    expect(stdout).toMatch(/dom\.html +ok\n/);
    expect(stdout).toMatch(/All \d files match the manifest\./);
    expect(status).toBe(0);
  });

  it('reports changed, missing and added files, and ends with status 1', async () => {
    const changed = await repack((folder) => {
      writeFileSync(join(folder, 'dom.html'), 'other');
      rmSync(join(folder, 'console.json'));
      writeFileSync(join(folder, 'extra.txt'), 'new');
    });
    const { status, stdout } = await verify(changed, '--json');
    const { ok, files } = JSON.parse(stdout) as { ok: boolean; files: object[] };
    expect(ok).toBe(false);
    expect(files).toEqual(
      expect.arrayContaining([
        { name: 'dom.html', state: 'changed' },
        { name: 'console.json', state: 'missing' },
        { name: 'extra.txt', state: 'not in the manifest' },
        { name: 'index.html', state: 'ok' },
      ]),
    );
    expect(status).toBe(1);
  });

  it('rejects a file that is cut, not an archive, or not a bundle', async () => {
    const bundle = await saveBundle();
    const folder = mkdtempSync(join(tmpdir(), 'openchrome-verify-'));
    const cut = join(folder, 'cut.tar.gz');
    writeFileSync(cut, readFileSync(bundle).subarray(0, -200));
    const text = join(folder, 'text.tar.gz');
    writeFileSync(text, 'not an archive');
    const other = join(folder, 'other.tar.gz');
    execFileSync('tar', ['czf', other, '-C', folder, 'text.tar.gz']);
    for (const file of [cut, text, other, join(folder, 'missing.tar.gz')]) {
      const { status, stdout, stderr } = await verify(file);
      expect(`${stdout}${stderr}`, file).toMatch(/is not a|no such file|ENOENT|not found/i);
      expect(status, file).toBeGreaterThan(0);
    }
  });
});
