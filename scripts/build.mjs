// Builds dist/: one small index.js that starts at once, and chunks that are loaded when they are
// needed.
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { baseChunk } from './base-chunk.mjs';
import { bundle, REQUIRE, ROOT } from './bundle.mjs';
import { dashboardInputs } from './dashboard-page.mjs';
import { buildExtension, zipExtension } from './extension.mjs';
import { licencesOf } from './licences.mjs';
import { writePdfiumFile } from './pdfium-file.mjs';
import { writeQuickjsFile } from './quickjs-file.mjs';
import { trimChunks } from './trim-chunks.mjs';

const startedAt = performance.now();
const dist = path.join(ROOT, 'dist');
const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));

await rm(dist, { recursive: true, force: true });
const options = {
  entryPoints: { index: 'src/index.ts' },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Names stay as written: a stack trace in a report must be readable.
  minifyWhitespace: true,
  minifySyntax: true,
  define: { OPENCHROME_VERSION: JSON.stringify(version) },
  metafile: true,
};

/**
 * An idle server loads the cleanup and not the engine. As a program of its own it is one small file;
 * chunks that it shares with the engine would be many, and each takes memory.
 */
const cleanupApart = {
  name: 'cleanup-apart',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /\/(?:cleanup|store-sweeps)[.]ts$/ }, ({ kind, path: file }) =>
      kind === 'dynamic-import'
        ? { path: `../cleanup/${path.basename(file, '.ts')}.js`, external: true }
        : undefined,
    );
  },
};

const engines = mkdir(dist).then(() =>
  Promise.all([writePdfiumFile(dist), writeQuickjsFile(dist)]),
);
const failed = () => process.exit(1); // esbuild has reported the reason
const { metafile: first } = await bundle({ ...options, write: false }).catch(failed);
const { metafile } = await bundle(options, [baseChunk(first, ROOT), cleanupApart]).catch(failed);

const CLEANUP = 'src/features/cleanup';
const { metafile: cleanup } = await bundle(
  {
    ...options,
    entryPoints: [`${CLEANUP}/cleanup.ts`, `${CLEANUP}/store-sweeps.ts`],
    outdir: 'dist/cleanup',
    splitting: false,
  },
  [cleanupApart],
).catch(failed);
const written = Object.keys({ ...metafile.outputs, ...cleanup.outputs });
await trimChunks(
  written.map((file) => path.join(ROOT, file)),
  REQUIRE,
);

// The demo is a program of its own, so that the chunks of the server do not depend on it.
const { metafile: demo } = await bundle({
  ...options,
  entryPoints: { demo: 'scripts/demo.mjs' },
  splitting: false,
  external: ['./demo-site/server.mjs'],
}).catch(failed);
await cp(path.join(ROOT, 'scripts/demo-site'), path.join(dist, 'demo-site'), { recursive: true });

const extension = path.join(dist, 'extension');
const extensionInputs = await buildExtension(extension, version).catch(failed);
await zipExtension(extension, path.join(dist, 'openchrome-extension.zip'));

await engines;
const entry = path.join(dist, 'index.js');
await writeFile(entry, `#!/usr/bin/env node\n${await readFile(entry, 'utf8')}`);
await chmod(entry, 0o755);
await writeFile(
  path.join(dist, 'THIRD-PARTY-LICENSES.txt'),
  await licencesOf(
    [
      ...new Set([
        ...Object.keys({ ...metafile.inputs, ...demo.inputs }),
        ...(await dashboardInputs()),
        ...extensionInputs,
      ]),
    ],
    ROOT,
  ),
);

/**
 * Node keeps the source of a module in memory, with two bytes for each character if one is beyond
 * Latin-1. esbuild escapes them except in regular expressions and raw templates.
 */
const LARGE_BYTES = 256 * 1024;
for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  if (bytes < LARGE_BYTES) continue;
  const [found] = /.{0,40}[^\0-\xff]/.exec(await readFile(path.join(ROOT, file), 'utf8')) ?? [];
  if (found === undefined) continue;
  console.error(`${file} needs two bytes per character because of: ${found}`);
  process.exit(1);
}

const sizes = Object.entries(metafile.outputs).map(([file, { bytes }]) => ({ file, bytes }));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
const kB = (bytes) => `${Math.round(bytes / 1024)} kB`;
console.log(
  `dist/index.js and ${sizes.length - 1} chunks, ${kB(total)}, in ${Math.round(performance.now() - startedAt)} ms`,
);
if (process.argv.includes('--verbose'))
  for (const { file, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes))
    console.log(`${kB(bytes).padStart(8)}  ${file}`);
