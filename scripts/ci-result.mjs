// Counts what a CI run found: steps of the check and tests. Ends with `N passed, N failed` alone on
// the last line.
import { readFileSync } from 'node:fs';

const [, , checkLog, testsJson] = process.argv;

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const countOf = (text, pattern) => text.match(pattern)?.length ?? 0;

/** A check that died before it could say anything is one failure. */
const checks = () => {
  const log = read(checkLog);
  const [passed, failed] = [countOf(log, /^ok {6}/gm), countOf(log, /^FAILED {2}/gm)];
  return { what: 'steps of the check', passed, failed: passed + failed === 0 ? 1 : failed };
};

const namesOfSecondTries = (testResults) =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map((it) => it.fullName),
  );

/** Files that could not even be loaded have no tests to fail, and count as one each. */
const tests = () => {
  const text = read(testsJson);
  if (text === '') return { what: 'tests', passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults, success } = JSON.parse(text);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((it) => it.status === 'failed'),
  );
  for (const name of namesOfSecondTries(testResults))
    console.log(`passed only on a second try: ${name}`);
  const failed = numFailedTests + broken.length;
  return { what: 'tests', passed: numPassedTests, failed: success ? failed : Math.max(failed, 1) };
};

const results = [checks(), tests()];
for (const { what, passed, failed } of results) console.log(`${what}: ${passed} ok, ${failed} not`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
