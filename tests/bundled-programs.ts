// Programs that tests run as processes: each is bundled once per test run.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundle } from '../scripts/bundle.mjs';
import { writePdfiumFile } from '../scripts/pdfium-file.mjs';
import { writeQuickjsFile } from '../scripts/quickjs-file.mjs';
import { readRunFolder } from './run-folder.ts';

/** A quality of brotli. */
const FAST = 1;

const bundled = new Map<string, Promise<string>>();

/**
 * Bundles a program with its late imports as separate files, and returns its path. The workers of a
 * run share the result.
 */
export const bundleOnce = (
  entry: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const name = basename(entry, '.ts');
  const hash = createHash('sha256')
    .update(JSON.stringify([entry, define]))
    .digest('hex');
  const folder = join(readRunFolder(), `${name}-${hash.slice(0, 12)}`);
  const ready = bundled.get(folder) ?? bundleInto(folder, entry, define);
  bundled.set(folder, ready);
  return ready.then(() => join(folder, `${name}.mjs`));
};

const bundleInto = async (
  folder: string,
  entry: string,
  define: Readonly<Record<string, string>>,
): Promise<string> => {
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(`${folder}-`);
  await bundle({
    entryPoints: [entry],
    outdir: draft,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]', // as in dist/: chunks find the WebAssembly files beside them
    define,
  });
  await Promise.all([writePdfiumFile(draft, FAST), writeQuickjsFile(draft)]);
  // If another worker was faster, its files are the same.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return folder;
};
