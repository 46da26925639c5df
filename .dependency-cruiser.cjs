// The table of layers: which folder may import which. A missing entry means forbidden.

const MAY_IMPORT = {
  core: [],
  system: ['core'],
  policy: ['core'],
  render: ['core'],
  store: ['core', 'system'],
  page: [],
  browser: ['core', 'system', 'policy', 'page'],
  features: ['core', 'system', 'policy', 'render', 'store', 'page', 'browser'],
  toolkit: ['core', 'system', 'store', 'page', 'browser', 'features'],
  tools: ['core', 'render', 'store', 'page', 'browser', 'features', 'toolkit'],
  pipeline: ['core', 'policy', 'render', 'store', 'browser', 'features', 'toolkit'],
  frontends: ['core', 'system', 'render', 'store', 'features', 'toolkit', 'pipeline'],
};

/** Layers from which toolkit imports types only. */
const TOOLKIT_TYPES_ONLY = ['system', 'store', 'page', 'browser', 'features'];

const LAYERS = Object.keys(MAY_IMPORT);
const folders = (names) => `^src/(?:${names.join('|')})/`;
const TESTS = '[.]test[.]ts$';

/** A package, whether its file was found (node_modules/name/…) or it has types alone (name/…). */
const npm = (name) => `(?:^|node_modules/)${name}(?:/|$)`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const layerRules = Object.entries(MAY_IMPORT).map(([layer, allowed]) =>
  rule(
    `${layer}-imports`,
    allowed.length
      ? `${layer}/ may import ${allowed.join(', ')} and nothing else of src/.`
      : `${layer}/ imports no other layer.`,
    { path: folders([layer]) },
    { path: '^src/', pathNot: folders([layer, ...allowed]) },
  ),
);

/** A package or module of Node that belongs to some places only. */
const onlyIn = (name, what, module, places) =>
  rule(
    name,
    `${what} only in ${places.join(', ')}.`,
    { path: '^src/', pathNot: [...places.map((place) => `^${place}`), TESTS] },
    { path: module },
  );

module.exports = {
  forbidden: [
    ...layerRules,
    rule(
      'toolkit-types-only',
      'toolkit/ knows store, browser and work by their types alone.',
      { path: folders(['toolkit']), pathNot: TESTS },
      { path: folders(TOOLKIT_TYPES_ONLY), dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'known-layers-only',
      'Every file is in a layer of the table, except those that start the program.',
      {
        path: '^src/',
        pathNot: [folders(LAYERS), '^src/(?:app|index|run-command|serve-mcp|start-parts)[.]ts$'],
      },
      {},
    ),
    rule(
      'root-is-not-imported',
      'app.ts and what starts the program import every layer; no layer imports them.',
      { pathNot: '^src/[^/]+$' },
      { path: '^src/[^/]+$' },
    ),
    rule(
      'core-packages',
      'core/ imports nothing but zod.',
      { path: folders(['core']), pathNot: TESTS },
      { pathNot: ['^src/', npm('zod')], dependencyTypesNot: ['core'] },
    ),
    onlyIn('cdp-in-browser', 'CDP types', npm('devtools-protocol'), ['src/browser/']),
    onlyIn('sockets-in-browser', 'WebSockets', npm('(?:@types/)?ws'), [
      'src/browser/',
      'src/frontends/dashboard/',
    ]),
    onlyIn('mcp-sdk-in-frontend', 'The MCP SDK', npm('@modelcontextprotocol'), [
      'src/frontends/mcp/',
    ]),
    onlyIn('database-in-cluster', 'The database', npm('(?:(?:@types/)?pg|graphile-worker)'), [
      'src/store/cluster/',
    ]),
    onlyIn('fs-in-store', 'node:fs', '^(?:node:)?fs(?:/promises)?$', [
      'src/system/',
      'src/store/',
      'src/browser/launch/',
      'src/features/setup/',
    ]),
    rule(
      'tool-imports-no-tool',
      'A tool never imports a tool: what two tools share is a noun one room below.',
      { path: '^src/tools/.+/', pathNot: TESTS },
      { path: '^src/tools/' },
    ),
    rule(
      'page-scripts-alone',
      'Code that runs inside the page imports nothing outside its folder but packages made for pages, which are bundled into it.',
      { path: '^src/page/', pathNot: TESTS },
      { pathNot: ['^src/page/', 'node_modules/'] },
    ),
    rule(
      'no-cycles',
      'No cycle at run time; types may refer to each other.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    rule(
      'resolvable',
      'Every path leads to a file, or the rules above would not see it.',
      {},
      { couldNotResolve: true, path: '^[.]' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
