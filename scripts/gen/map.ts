// docs/map.md: the tree of src/ with the promise that every file makes in its first line.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fence } from './markdown.ts';

export const mapPage = async (root: string): Promise<string> => `# Map

What stands where: the first line of every file of \`src/\`.

${fence((await treeOf(join(root, 'src'), '')).join('\n'))}`;

const treeOf = async (folder: string, indent: string): Promise<string[]> => {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'));
  const folders = entries.filter((entry) => entry.isDirectory());
  const lines: string[] = [];
  for (const { name } of files) lines.push(`${indent}${name}: ${await promiseOf(join(folder, name))}`);
  for (const { name } of folders) {
    const inside = await treeOf(join(folder, name), `${indent}  `);
    if (inside.length) lines.push(`${indent}${name}/`, ...inside);
  }
  return lines;
};

const promiseOf = async (file: string): Promise<string> => {
  const [first = ''] = (await readFile(file, 'utf8')).split('\n', 1);
  return first.replace(/^\/\/\s*/, '').trim();
};
