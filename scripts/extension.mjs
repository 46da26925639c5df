// Builds the extension: an unpacked folder, and a zip file of it.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { zipSync } from 'fflate';

const SOURCE = fileURLToPath(new URL('../extension/', import.meta.url));
const SCRIPTS = ['service-worker', 'popup', 'pair', 'options'];
const COPIED = ['popup.html', 'pair.html', 'options.html', 'style.css'];
/** Equal sources result in equal zip files. */
const ZIP_TIME = new Date('2026-01-01T00:00:00Z');

/** Returns the bundled source files, for the list of licences. */
export const buildExtension = async (folder, version) => {
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: SCRIPTS.map((name) => path.join(SOURCE, `${name}.ts`)),
    outdir: folder,
    bundle: true,
    format: 'iife',
    target: 'chrome125',
    charset: 'utf8',
    legalComments: 'none',
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of COPIED) await cp(path.join(SOURCE, file), path.join(folder, file));
  const manifest = JSON.parse(await readFile(path.join(SOURCE, 'manifest.json'), 'utf8'));
  await writeFile(
    path.join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, version: version.split('-')[0] }, null, 2),
  );
  return Object.keys(metafile.inputs);
};

export const zipExtension = async (folder, file) => {
  const names = [...SCRIPTS.map((name) => `${name}.js`), ...COPIED, 'manifest.json'].sort();
  const entries = await Promise.all(
    names.map(async (name) => [name, await readFile(path.join(folder, name))]),
  );
  await writeFile(file, zipSync(Object.fromEntries(entries), { mtime: ZIP_TIME, level: 9 }));
};
