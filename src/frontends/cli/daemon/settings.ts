// The settings that a daemon runs with: those of whoever starts it.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../../../core/config.ts';

/** A digest of the flags and variables that a configuration is made of: equal ones need no comparing. */
export const digestInputs = (flags: readonly string[], env: NodeJS.ProcessEnv = process.env): string => {
  const variables = Object.entries(env).filter(([name]) => name === 'CHROME_PATH' || (name.startsWith('OPENCHROME_') && !isPlace(name)));
  const inputs = [flags.filter((flag) => flag !== '--shared'), variables.toSorted(([a], [b]) => (a < b ? -1 : 1))];
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
};

/** The home is the daemon's by definition. */
const isPlace = (name: string): boolean => name === 'OPENCHROME_HOME' || name === 'OPENCHROME_TASK_ROOT';

/** The daemon works in the home folder: what was said relative to another place is said in full. */
export const withFullPaths = (config: Config, folder: string): Config => {
  const full = <T extends string | undefined>(path: T): T => (path === undefined ? path : (resolve(folder, path) as T));
  return {
    ...config,
    chromePath: full(config.chromePath),
    profile: full(config.profile),
    secrets: full(config.secrets),
    allowRoot: config.allowRoot.map((path) => full(path)),
  };
};
