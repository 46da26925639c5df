// The kinds of tests: unit (beside the code, no browser), rules (of the house), browser (a real Chrome
// and the built server), browser-alone (the same, each file in its own process), faults (minutes of
// bad treatment, run by themselves), own-chrome (the attach suites over the extension), and cluster
// (several processes and a PostgreSQL server, run by themselves).
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { dashboardPageVitePlugin } from './scripts/dashboard-page.mjs';
import { pageScriptVitePlugin } from './scripts/page-scripts.mjs';
import { pdfiumFileVitePlugin } from './scripts/pdfium-file.mjs';
import { quickjsFileVitePlugin } from './scripts/quickjs-file.mjs';
import { toolUsageVitePlugin } from './scripts/tool-usage.mjs';
import { workerScriptVitePlugin } from './scripts/worker-scripts.mjs';
import { findChrome } from './src/browser/launch/find-chrome.ts';
import { resolveConfig } from './src/core/config.ts';
import { resolveHome } from './src/core/home.ts';
import { OVER_EXTENSION } from './tests/extension/exceptions.ts';
import { ISOLATED_FILES } from './tests/isolated-files.ts';

/**
 * Test files often wait for a page or a process, so one more than the cores uses the cores better.
 * More are not faster: the processes of Chrome need most of the time of the cores.
 */
const WORKERS = Math.min(4, availableParallelism() + 1);

const chrome = await findChrome({
  config: resolveConfig({ env: process.env }),
  home: resolveHome(),
});

/**
 * Only a full Chrome has extensions. A machine without Chrome runs its tests with the headless shell,
 * and without these files.
 */
const OF_EXTENSION =
  (chrome?.product ?? 'headless-shell') === 'headless-shell'
    ? ['tests/extension/!(pairing).test.ts']
    : [];

const BROWSER = {
  globalSetup: ['tests/chrome-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  plugins: [
    pageScriptVitePlugin(),
    workerScriptVitePlugin(),
    toolUsageVitePlugin(),
    dashboardPageVitePlugin(),
    pdfiumFileVitePlugin(),
    quickjsFileVitePlugin(),
  ],
  test: {
    maxWorkers: WORKERS,
    // Vitest waits for a second, in which a process does not start on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,extension}/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'rules',
          include: ['tests/rules/**/*.test.ts'],
          isolate: false,
          // The check of the layers and the builds compute for half a minute on a busy machine.
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          ...BROWSER,
          name: 'browser',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/rules/**', ...ISOLATED_FILES, ...OF_EXTENSION],
          isolate: false,
        },
      },
      { extends: true, test: { ...BROWSER, name: 'browser-alone', include: ISOLATED_FILES } },
      {
        extends: true,
        test: {
          ...BROWSER,
          name: 'faults',
          include: ['tests/faults/**/*.fault.ts'],
          maxWorkers: 1, // what they count is the machine's
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...BROWSER,
          name: 'cluster',
          include: ['tests/cluster/**/*.cluster.ts'],
          testTimeout: 300_000,
          maxWorkers: 1, // the tests measure times of several processes
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          ...BROWSER,
          name: 'own-chrome',
          include: OVER_EXTENSION,
          env: { OPENCHROME_TEST_OVER: 'extension' },
          setupFiles: ['tests/extension/over-extension.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
