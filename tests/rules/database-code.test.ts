// The database client is loaded only with --cluster: no other chunk of the program contains it.
import { describe, expect, it } from 'vitest';
import { baseChunk } from '../../scripts/base-chunk.mjs';
import { bundle } from '../../scripts/bundle.mjs';
import { ROOT } from './sources.ts';

interface BuiltFile {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}
type BuiltFiles = Readonly<Record<string, BuiltFile>>;
interface BuiltProgram {
  readonly metafile: { readonly inputs: object; readonly outputs: BuiltFiles };
}

const DATABASE = /node_modules\/(?:pg|pg-\w+|graphile-worker|postgres-\w+)\//;
/** The modules that only --cluster and `doctor --cluster` load. */
const OPENS = /^src\/store\/cluster\//;

const OPTIONS = {
  entryPoints: { index: 'src/index.ts' },
  outdir: 'dist',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  define: { OPENCHROME_VERSION: '"0"' },
  metafile: true,
  write: false,
};

const buildFiles = async (): Promise<BuiltFiles> => {
  const first = (await bundle(OPTIONS)) as BuiltProgram;
  const built = (await bundle(OPTIONS, [baseChunk(first.metafile, ROOT)])) as BuiltProgram;
  return built.metafile.outputs;
};

/** The files that are loaded together with this one. */
const listLoaded = (files: BuiltFiles, name: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { path, kind } of files[name]?.imports ?? [])
    if (kind === 'import-statement') listLoaded(files, path, seen);
  return seen;
};

describe('the database client', () => {
  it('is in no file that is loaded without --cluster', async () => {
    const files = await buildFiles();
    const holders = Object.keys(files).filter((name) =>
      Object.keys(files[name]?.inputs ?? {}).some((input) => DATABASE.test(input)),
    );
    const entries = Object.entries(files).filter(
      ([, { entryPoint }]) => entryPoint !== undefined && !OPENS.test(entryPoint),
    );
    const loading = entries
      .filter(([name]) => [...listLoaded(files, name)].some((file) => holders.includes(file)))
      .map(([, { entryPoint }]) => entryPoint);
    expect(holders.length).toBeGreaterThan(0);
    expect(entries.length).toBeGreaterThan(10);
    expect(loading.filter((entry) => !DATABASE.test(entry ?? ''))).toEqual([]);
  }, 600_000);
});
