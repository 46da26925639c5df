// Puts what a starting server reads into few chunks, and what a command reads likewise: each file
// more costs a start more than its bytes. esbuild gives a chunk of its own to every set of modules
// that the same entries reach. So every entry is made to reach the whole base of its kind: what
// servers start with, what commands start with, or what is common to both. Each base then is one
// set, and one chunk.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * What a server loads before its first answer, what it loads then, and what a command that asks the
 * daemon loads.
 */
const LISTING = ['src/serve-mcp.ts'];
const SERVER = [
  ...LISTING,
  'src/app.ts',
  'src/core/idle-memory.ts',
  'src/frontends/mcp/methods.ts',
];
const COMMAND = [
  'src/run-command.ts',
  'src/frontends/cli/index.ts',
  'src/frontends/cli/client.ts',
  'src/frontends/cli/commands/tool.ts',
];

/**
 * Which base an entry may load: those that both kinds of start load, or that need little, only what
 * is common. The program itself loads none.
 */
const kindOf = (entry) => {
  if (entry === 'src/index.ts') return undefined;
  if (entry === 'src/run-command.ts' || entry.startsWith('src/frontends/cli/')) return 'command';
  return /^src\/(?:core\/|store\/|frontends\/mcp\/shared[.]ts)/.test(entry) ? 'common' : 'server';
};

const reachedFrom = (entries, inputs) => {
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file) || !inputs[file]) return;
    reached.add(file);
    for (const { path: next, kind } of inputs[file].imports)
      if (kind === 'import-statement') reach(next);
  };
  for (const entry of entries) reach(entry);
  return new Set([...reached].filter((file) => file.startsWith('src/')));
};

/** The plugin for a second run of esbuild, from what the first one found. */
export const baseChunk = ({ inputs, outputs }, root) => {
  const server = reachedFrom(SERVER, inputs);
  const command = reachedFrom(COMMAND, inputs);
  const bases = {
    listing: reachedFrom(LISTING, inputs),
    server,
    command,
    common: new Set([...server].filter((file) => command.has(file))),
  };
  const entries = Object.values(outputs).flatMap(({ entryPoint }) =>
    entryPoint?.startsWith('src/') ? [entryPoint] : [],
  );
  // An entry that the first answer needs must not make it load a larger base.
  const findKind = (entry) => {
    if (LISTING.includes(entry)) return 'listing';
    return bases.listing.has(entry) ? undefined : kindOf(entry);
  };
  const kinds = new Map(entries.map((entry) => [path.join(root, entry), findKind(entry)]));
  return {
    name: 'base-chunk',
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^base-chunk-/ }, ({ path: name }) => ({
        path: name,
        namespace: 'base-chunk',
      }));
      esbuild.onLoad({ filter: /./, namespace: 'base-chunk' }, ({ path: name }) => ({
        contents: [...bases[name.replace('base-chunk-', '')]]
          .map((file) => `import ${JSON.stringify(`./${file}`)};`)
          .join('\n'),
        resolveDir: root,
      }));
      esbuild.onLoad({ filter: /[.]ts$/ }, async ({ path: file, namespace }) => {
        const kind = namespace === 'file' ? kinds.get(file) : undefined;
        return (
          kind && {
            contents: `${await readFile(file, 'utf8')}\nimport 'base-chunk-${kind}';\n`,
            loader: 'ts',
          }
        );
      });
    },
  };
};
