// Checks an evidence bundle: every file against the hashes of its manifest.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { parseJson } from '../../core/json.ts';
import { type ArchivedFile, readArchive } from '../../store/files/evidence.ts';
import { MANIFEST_FILE } from './part-names.ts';

const Hashed = z.object({ name: z.string(), bytes: z.number(), sha256: z.string() });
const Manifest = z.object({
  format: z.literal('openchrome-evidence'),
  version: z.literal(1),
  captured_at: z.string(),
  url: z.string(),
  parts: z.array(Hashed.partial({ sha256: true })),
  index: Hashed,
});

export type FileState = 'ok' | 'changed' | 'missing' | 'not in the manifest';

export interface Verification {
  readonly ok: boolean;
  readonly url: string;
  readonly captured_at: string;
  readonly files: readonly { readonly name: string; readonly state: FileState }[];
}

export const verifyBundle = async (path: string): Promise<Verification> => {
  const found = new Map<string, ArchivedFile>();
  let manifestText: string | undefined;
  for await (const { content, ...file } of readArchive(path)) {
    const name = file.name.slice(file.name.indexOf('/') + 1);
    if (found.has(name)) throw invalid(path, `it contains ${JSON.stringify(name)} twice`);
    found.set(name, file);
    if (name === MANIFEST_FILE) manifestText = content?.toString('utf8') ?? '';
  }
  if (manifestText === undefined) throw invalid(path, `it has no ${MANIFEST_FILE}`);
  const { data, error } = Manifest.safeParse(parseJson(manifestText));
  if (error) throw invalid(path, `its ${MANIFEST_FILE} is not valid`);
  const files = compareFiles(data, found);
  const { url, captured_at } = data;
  return { ok: files.every(({ state }) => state === 'ok'), url, captured_at, files };
};

const invalid = (path: string, reason: string): Error =>
  fail('invalid_argument', `${path} is not an evidence bundle: ${reason}.`, { argument: 'file' });

const compareFiles = (
  { parts, index }: z.output<typeof Manifest>,
  found: ReadonlyMap<string, ArchivedFile>,
): Verification['files'] => {
  // A part without a hash could not be captured, so the archive has no file for it.
  const expected = [...parts, index].filter(({ sha256 }) => sha256 !== undefined);
  const listed = new Set([MANIFEST_FILE, ...expected.map(({ name }) => name)]);
  const unlisted = [...found.keys()].filter((name) => !listed.has(name));
  return [
    ...expected.map(({ name, sha256 }) => ({ name, state: compare(found.get(name), sha256) })),
    ...unlisted.map((name) => ({ name, state: 'not in the manifest' as const })),
  ];
};

const compare = (file: ArchivedFile | undefined, sha256: string | undefined): FileState => {
  if (!file) return 'missing';
  return file.sha256 === sha256 ? 'ok' : 'changed';
};
