// `npm run check`: runs all checks that need no browser, then lists the failed ones.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { ROOT } from './bundle.mjs';

/** CI leaves out the quick tests, because `npm test` runs them; one of them checks the layers. */
const STEPS = [
  ...['types', 'lint', 'format:check', 'lint:dead'],
  ...(process.argv.includes('--no-tests') ? [] : ['test:quick']),
];

const run = (step) => {
  const startedAt = performance.now();
  console.log(`\n> ${step}`);
  const { status } = spawnSync('npm', ['run', '--silent', step], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return { step, ok: status === 0, seconds: (performance.now() - startedAt) / 1000 };
};

const results = STEPS.map(run);
console.log('');
for (const { step, ok, seconds } of results)
  console.log(
    `${ok ? 'ok    ' : 'FAILED'}  ${step.padEnd(14)} ${seconds.toFixed(1).padStart(5)} s`,
  );
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
