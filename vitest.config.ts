// The kinds of tests: unit (beside the code, no browser), rules (of the house), browser (a real Chrome and the built server),
// faults (minutes of bad treatment, run by themselves), own-chrome (the attach suites over the extension),
// and cluster (several processes and a PostgreSQL server, run by themselves).
import { defineConfig } from 'vitest/config';
import { dashboardPageVitePlugin } from './scripts/dashboard-page.mjs';
import { pageScriptVitePlugin } from './scripts/page-scripts.mjs';
import { pdfiumFileVitePlugin } from './scripts/pdfium-file.mjs';
import { toolUsageVitePlugin } from './scripts/tool-usage.mjs';
import { workerScriptVitePlugin } from './scripts/worker-scripts.mjs';
import { OVER_EXTENSION } from './tests/extension/exceptions.ts';

export default defineConfig({
  plugins: [
    pageScriptVitePlugin(),
    workerScriptVitePlugin(),
    toolUsageVitePlugin(),
    dashboardPageVitePlugin(),
    pdfiumFileVitePlugin(),
  ],
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['{src,extension}/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: { name: 'rules', include: ['tests/rules/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.fault.ts'],
          globalSetup: ['tests/chrome-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 1, // what they count is the machine's
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ['tests/cluster/**/*.cluster.ts'],
          globalSetup: ['tests/chrome-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 1, // the tests measure times of several processes
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'own-chrome',
          include: OVER_EXTENSION,
          env: { OPENCHROME_TEST_OVER: 'extension' },
          setupFiles: ['tests/extension/over-extension.ts'],
          globalSetup: ['tests/chrome-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/rules/**'],
          globalSetup: ['tests/chrome-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Every file starts its own Chrome. More files at once than cores are slower.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
