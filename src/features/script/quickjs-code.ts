// Compiles QuickJS's WebAssembly code for the threads of scripts.
import { setFlagsFromString } from 'node:v8';
import { openRegularFile } from '../../system/private-files.ts';

/**
 * Default of `--wasm-tiering-budget` by version of V8: bytes of machine code that a function may
 * run before V8 optimises it. Listed here because V8 has no function that returns it.
 */
export const TIERING_BUDGETS: Readonly<Record<string, number>> = {
  '11.3': 1_800_000, // Node 20
  '12.4': 13_000_000, // Node 22
  '13.6': 13_000_000, // Node 24
};

/**
 * Each step of the interpreter counts as up to 100 kB, so that V8 would optimise the interpreter,
 * which takes 100 ms of processor time, before it has run the first line of a script. With this
 * budget only scripts that compute for long are optimised.
 */
const QUICKJS_BUDGET = 1_000_000_000;

export const readV8Version = (): string => process.versions.v8.split('.').slice(0, 2).join('.');

/**
 * Compiles synchronously (5 ms), because a chunk that is loaded while the flag is changed does not
 * use the compile cache.
 */
export const compileQuickjs = async (): Promise<WebAssembly.Module> => {
  const { default: path } = await import('quickjs-file');
  await using file = await openRegularFile(path);
  if (!file) throw new Error(`${path} is missing`);
  const bytes = await file.readFile();
  const budget = TIERING_BUDGETS[readV8Version()];
  if (budget === undefined) return new WebAssembly.Module(bytes);
  try {
    setTieringBudget(QUICKJS_BUDGET);
    return new WebAssembly.Module(bytes);
  } finally {
    setTieringBudget(budget);
  }
};

const setTieringBudget = (bytes: number): void =>
  setFlagsFromString(`--wasm-tiering-budget=${bytes}`);
