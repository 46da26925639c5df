// Test files share processes and loaded modules, so none may change them for the next file.
import { describe, expect, it } from 'vitest';
import { ISOLATED_FILES } from '../isolated-files.ts';
import { filesBelow } from './sources.ts';

/** A shared module is loaded once, so its hooks would belong to the first file that imports it. */
const HOOK = /^(?:before|after)(?:All|Each)\(/m;
/** Modules that are already loaded are not replaced. */
const REPLACES = /\bvi\.(?:mock|doMock|hoisted)\(|\bprocess\.chdir\(/;
/** vitest loads a setup file once per test file. */
const SETUP_FILES = ['tests/extension/over-extension.ts'];

const files = filesBelow('tests', '.ts');
const unitTests = ['src', 'extension'].flatMap((folder) => filesBelow(folder, '.test.ts'));

describe('a module that test files share', () => {
  it('registers hooks only inside functions that a test file calls', () => {
    const shared = files.filter(({ path }) => !/\.(?:test|fault|cluster)\.ts$/.test(path));
    const found = shared.filter(({ text }) => HOOK.test(text)).map(({ path }) => path);
    expect(found.filter((path) => !SETUP_FILES.includes(path))).toEqual([]);
  });
});

describe('a test file that replaces modules or changes the working folder', () => {
  it('has its own process', () => {
    const tests = files.filter(({ path }) => /^tests\/(?!rules\/).*\.test\.ts$/.test(path));
    const found = [...tests, ...unitTests].filter(({ text }) => REPLACES.test(text));
    expect(found.map(({ path }) => path).sort()).toEqual(ISOLATED_FILES.toSorted());
  });
});
