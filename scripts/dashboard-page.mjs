// Bundles the page of the dashboard (src/frontends/dashboard/web) into texts: `dashboard-page`.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const FOLDER = fileURLToPath(new URL('../src/frontends/dashboard/web/', import.meta.url));
const NAME = 'dashboard-page';

const bundlePage = async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(FOLDER, 'main.tsx')],
    bundle: true,
    format: 'esm',
    target: 'chrome120',
    charset: 'utf8',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const style = await build({
    entryPoints: [path.join(FOLDER, 'dashboard.css')],
    bundle: true,
    target: 'chrome120',
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  return {
    script: outputFiles[0].text,
    style: style.outputFiles[0].text,
    icon: await readFile(path.join(FOLDER, 'icon.svg'), 'utf8'),
    inputs: Object.keys(metafile.inputs),
  };
};

/** The texts, for the build and for tests of their size. */
export const readDashboardPage = async () => {
  const { script, style, icon } = await bundlePage();
  return { script, style, icon };
};

const renderModule = ({ script, style, icon }) =>
  `export const PAGE_SCRIPT = ${JSON.stringify(script)};
export const PAGE_STYLE = ${JSON.stringify(style)};
export const PAGE_ICON = ${JSON.stringify(icon)};
`;

/** The packages inside the page, for the list of licences. */
export const dashboardInputs = async () => (await bundlePage()).inputs;

export const dashboardPagePlugin = () => ({
  name: NAME,
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^dashboard-page$/ }, () => ({ path: NAME, namespace: NAME }));
    esbuild.onLoad({ filter: /.*/, namespace: NAME }, async () => ({
      contents: renderModule(await bundlePage()),
      loader: 'js',
    }));
  },
});

export const dashboardPageVitePlugin = () => ({
  name: NAME,
  enforce: 'pre',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  async load(id) {
    return id === `\0${NAME}` ? renderModule(await bundlePage()) : undefined;
  },
});
