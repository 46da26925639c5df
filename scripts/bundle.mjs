// How the project's TypeScript becomes JavaScript: the one set of esbuild options, for the build and for scripts.
import { build } from 'esbuild';
import { pageScriptPlugin } from './page-scripts.mjs';

export const ROOT = new URL('..', import.meta.url).pathname;

/** Some bundled packages are CommonJS and call require for modules of Node. */
const REQUIRE = "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);";

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
    plugins: [pageScriptPlugin()],
    logLevel: 'warning',
    ...options,
  });
