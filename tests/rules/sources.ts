// The project's own files, for rules that look at text.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every file below a folder whose name ends in one of the endings. */
export const filesBelow = (folder: string, ...endings: readonly string[]): SourceFile[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(`${sep}node_modules${sep}`))
    .map((path) => ({
      path: relative(ROOT, path).replaceAll(sep, '/'),
      text: readFileSync(path, 'utf8'),
    }));

/** The code that ships: the server, and the extension for the user's own Chrome. */
export const shippedSources = (): SourceFile[] =>
  [...filesBelow('src', '.ts'), ...filesBelow('extension', '.ts')].filter(
    ({ path }) => !path.endsWith('.test.ts'),
  );
