// The settings that a daemon runs with: those of whoever starts it.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../../../core/config.ts';
import { readConfigFiles } from '../../../store/config/config-file.ts';

/**
 * A digest of the variables and files that a configuration is made of. Equal digests mean equal
 * settings.
 */
export const digestSettingSources = async (
  home: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  const variables = Object.entries(env).filter(([name]) => isSetting(name));
  const { homeFile, projectFile } = await readConfigFiles({ home });
  return createHash('sha256')
    .update(
      JSON.stringify([
        variables.toSorted(([a], [b]) => (a < b ? -1 : 1)),
        homeFile?.content,
        projectFile?.content,
      ]),
    )
    .digest('hex');
};

/** The home is the daemon's by definition, and a session is a matter of each call. */
const isSetting = (name: string): boolean =>
  name === 'CHROME_PATH' ||
  (name.startsWith('OPENCHROME_') && !/^OPENCHROME_(?:HOME|TASK_ROOT|SESSION)$/.test(name));

/** The daemon works in the home folder: what was said relative to another place is said in full. */
export const withFullPaths = (config: Config, folder: string): Config => {
  const full = <T extends string | undefined>(path: T): T =>
    path === undefined ? path : (resolve(folder, path) as T);
  return {
    ...config,
    chromePath: full(config.chromePath),
    profile: full(config.profile),
    secrets: full(config.secrets),
    allowRoot: config.allowRoot.map((path) => full(path)),
  };
};
