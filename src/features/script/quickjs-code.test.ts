// The table of V8's defaults is correct for the version that runs the test.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readV8Version, TIERING_BUDGETS } from './quickjs-code.ts';

test("the budget that is restored after QuickJS was compiled is V8's default", () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const [, byDefault] = /default: --wasm-tiering-budget=(\d+)/.exec(options) ?? [];
  expect(TIERING_BUDGETS[readV8Version()]).toBe(Number(byDefault));
});
