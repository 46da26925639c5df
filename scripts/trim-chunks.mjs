// Removes what a chunk does not need to start. Each chunk loads faster and takes less memory.
import { readFile, writeFile } from 'node:fs/promises';

/** Import statements of Node's modules as esbuild writes them: `import{a as b}from` or `import a from`. */
const NODE_IMPORT = /(?<=^|[;}\n])import(?: (\w+) from|\{([^{}]*)\}from)"(node:[a-z/_]+)";/g;

/**
 * A module of Node that is imported by a statement gets a copy of its exports, which also loads the
 * streams of node:fs. `process.getBuiltinModule` has no copy.
 */
const withoutImports = (code) => {
  const declarations = [];
  const rest = code.replace(NODE_IMPORT, (_, all, names, name) => {
    const target = all ?? `{${names.replaceAll(' as ', ':')}}`;
    // A chunk may declare its own `process`.
    declarations.push(`const ${target}=globalThis.process.getBuiltinModule("${name}");`);
    return '';
  });
  return declarations.join('') + rest;
};

/** Rewrites the files; `banner` is the statement that defines `require` in each. */
export const trimChunks = (files, banner) =>
  Promise.all(
    files.map(async (file) => {
      const code = await readFile(file, 'utf8');
      const body = code.replace(`${banner}\n`, '');
      const isUsed = /\brequire\b/.test(body);
      await writeFile(file, (isUsed ? `${banner}\n` : '') + withoutImports(body));
    }),
  );
