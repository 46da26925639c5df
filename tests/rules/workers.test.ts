// The bundle of each worker thread is small and contains only the packages that it needs.
import { describe, expect, it } from 'vitest';
import { bundleWorker } from '../../scripts/worker-scripts.mjs';
import { filesBelow } from './sources.ts';

interface WorkerLimits {
  readonly maxBytes: number;
  readonly packages: readonly string[];
}

/**
 * A thread parses its whole bundle when it starts, so each limit is close to the present size.
 * Bundles are ASCII, because V8 keeps such a source with one byte per character.
 */
const WORKERS: Readonly<Record<string, WorkerLimits>> = {
  'address-matches': { maxBytes: 2_000, packages: [] },
  crawl: {
    maxBytes: 305_000,
    packages: [
      ...['css-what', 'dom-serializer', 'domelementtype', 'domhandler', 'domutils', 'entities'],
      ...['htmlparser2', 'saxes', 'xmlchars'],
    ],
  },
  pdf: { maxBytes: 36_000, packages: [] },
  'recipe-yaml': { maxBytes: 185_000, packages: ['yaml'] },
  'record-checks': { maxBytes: 260_000, packages: ['zod'] },
  script: {
    maxBytes: 92_500,
    packages: [
      '@jitl/quickjs-ffi-types',
      '@jitl/quickjs-singlefile-cjs-release-sync',
      'quickjs-emscripten-core',
    ],
  },
  search: { maxBytes: 76_000, packages: ['@jmespath-community/jmespath'] },
  'source-map': {
    maxBytes: 18_000,
    packages: [
      '@jridgewell/resolve-uri',
      '@jridgewell/sourcemap-codec',
      '@jridgewell/trace-mapping',
    ],
  },
  'text-cleaning': { maxBytes: 46_000, packages: [] },
};

const listPackages = (files: readonly string[]): string[] => {
  const names = files
    .map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file.replaceAll('\\', '/'))?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(names)].sort();
};

describe('the bundle of a worker', () => {
  it('is listed here', () => {
    const imported = filesBelow('src', '.ts')
      .flatMap(({ text }) => [...text.matchAll(/import\('worker-script:([\w-]+)'\)/g)])
      .map(([, name]) => name);
    const expected = new Set(Object.keys(WORKERS));
    expect(new Set(imported)).toEqual(expected);
  });

  it.each(Object.entries(WORKERS))(
    '%s contains only its packages and is not too large',
    { timeout: 60_000 },
    async (name, { maxBytes, packages }) => {
      const { source, files } = await bundleWorker(name);
      expect(listPackages(files)).toEqual(packages);
      expect(Buffer.byteLength(source)).toBeLessThanOrEqual(maxBytes);
    },
  );
});
