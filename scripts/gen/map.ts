// Generates docs/map.md: a summary of each layer, then every file of src/ with its first comment.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fence, table } from './markdown.ts';

interface Folder {
  readonly name: string;
  readonly lines: readonly string[];
}

export const mapPage = async (root: string): Promise<string> => {
  const source = join(root, 'src');
  const contents = await readLayerContents(root);
  const folders = (await readdir(source, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const layers: Folder[] = [];
  for (const { name } of folders.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    layers.push({ name, lines: await listFolder(join(source, name), '') });
  const rows = layers.map(({ name, lines }) => [
    `[${name}](#${name})`,
    String(lines.filter((line) => line.includes('.ts: ')).length),
    contents.get(name) ?? '',
  ]);
  const sections = layers.map(({ name, lines }) => `## ${name}\n\n${fence(lines.join('\n'))}`);
  return `# Map

The layers of \`src/\`, then every file with its first comment.

${table(['layer', 'files', 'content'], rows)}

${sections.join('\n\n')}`;
};

/** The content column of the table of layers in ARCHITECTURE.md. */
const readLayerContents = async (root: string): Promise<Map<string, string>> => {
  const text = await readFile(join(root, 'docs', 'ARCHITECTURE.md'), 'utf8');
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return new Map(rows.filter((row) => row.length === 5).map((row) => [row[1] ?? '', row[2] ?? '']));
};

const listFolder = async (folder: string, indent: string): Promise<string[]> => {
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const files = entries.filter(
    (entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'),
  );
  const lines: string[] = [];
  for (const { name } of files)
    lines.push(`${indent}${name}: ${await readSubject(join(folder, name))}`);
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inside = await listFolder(join(folder, name), `${indent}  `);
    if (inside.length > 0) lines.push(`${indent}${name}/`, ...inside);
  }
  return lines;
};

/** The comment at the beginning of a file, joined to one line. */
const readSubject = async (file: string): Promise<string> => {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, Math.max(end, 1))
    .map((line) => line.replace(/^\/\/ ?/, '').trim())
    .join(' ');
};
