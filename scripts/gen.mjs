// `npm run gen`: generates docs from the code; --check only reports which would change.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, ROOT } from './bundle.mjs';

const folder = path.join(ROOT, '.cache', `gen-${process.pid}`);
try {
  const outfile = path.join(folder, 'gen.mjs');
  // esbuild has reported the reason
  await bundle({ entryPoints: ['scripts/gen/index.ts'], outfile }).catch(() => process.exit(1));
  const { generate } = await import(pathToFileURL(outfile).href);
  process.exitCode = await generate(ROOT, { check: process.argv.includes('--check') });
} finally {
  await rm(folder, { recursive: true, force: true });
}
