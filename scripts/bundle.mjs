// How the project's TypeScript becomes JavaScript: the one set of esbuild options, for the build and for scripts.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pageScriptPlugin } from './page-scripts.mjs';
import { toolUsagePlugin } from './tool-usage.mjs';
import { workerScriptPlugin } from './worker-scripts.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Some bundled packages are CommonJS and call require for modules of Node. */
const REQUIRE = "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);";

/** zod brings its messages in fifty languages, which every start would have to parse; English is the one that is used. */
const englishOnly = {
  name: 'zod-english-only',
  setup: (esbuild) =>
    esbuild.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index[.]js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};

/** Bundles with every package inside, so that what comes out needs nothing but Node. */
export const bundle = (options) =>
  build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: REQUIRE },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other form cannot be bundled
    plugins: [pageScriptPlugin(), workerScriptPlugin(), toolUsagePlugin(), englishOnly],
    logLevel: 'warning',
    ...options,
  });
