// The test files that need their own process; the other files share processes and loaded modules.

/**
 * They replace modules, set the environment before they import the code, or change the working
 * folder.
 */
export const ISOLATED_FILES = [
  'tests/envelopes/bytes.test.ts',
  'tests/fuzz/fuzz.test.ts',
  'tests/launch/embedded.test.ts',
  'tests/recording/size.test.ts',
];
