// Checks that the running Node version is supported.
import type { Check } from './check.ts';

/** `^20.19 || ^22.12 || >=24`, as in package.json. */
const isSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
};

export const nodeVersionCheck = (version = process.versions.node): Check => ({
  id: 'node',
  run: () =>
    isSupported(version)
      ? { status: 'ok', message: `Node ${version}` }
      : {
          status: 'fail',
          message: `Node ${version} is not supported.`,
          fix: 'Install Node 20.19, 22.12, 24 or newer.',
        },
});
