// The settings of a daemon: those of the process that starts it.
import { resolve } from 'node:path';
import type { Config } from '../../../core/config.ts';
import { readConfigFiles } from '../../../store/config/config-file.ts';

/**
 * A digest of the variables and files that a configuration comes from. Equal digests mean equal
 * settings.
 */
export const digestSettingSources = async (
  home: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  const variables = Object.entries(env).filter(([name]) => isSetting(name));
  const { homeFile, projectFile } = await readConfigFiles({ home });
  if (variables.length === 0 && !homeFile && !projectFile) return NO_SOURCES;
  // Loading it takes 5 ms of every command.
  const { createHash } = await import('node:crypto');
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

/** The digest without variables and files. */
const NO_SOURCES = 'none';

/** The home is fixed for a daemon, and the session belongs to each call. */
const isSetting = (name: string): boolean =>
  name === 'CHROME_PATH' ||
  (name.startsWith('OPENCHROME_') && !/^OPENCHROME_(?:HOME|TASK_ROOT|SESSION)$/.test(name));

/** A script of --init-script for one session. */
const SESSION_FILE = /^[\w.@-]+=/;
/** A PAC file of --proxy, also for one scheme. */
const PAC_FILE = /^(?:https?=)?pac:/;

/** The daemon's working folder is the home, so relative paths are resolved before. */
export const withFullPaths = (config: Config, folder: string): Config => {
  const full = <T extends string | undefined>(path: T): T =>
    path === undefined ? path : (resolve(folder, path) as T);
  const fullAfter = (text: string, mark: string): string => {
    const at = text.indexOf(mark) + mark.length;
    return `${text.slice(0, at)}${full(text.slice(at))}`;
  };
  return {
    ...config,
    chromePath: full(config.chromePath),
    profile: full(config.profile),
    secrets: full(config.secrets),
    initScript: config.initScript.map((text) =>
      SESSION_FILE.test(text) ? fullAfter(text, '=') : full(text),
    ),
    extension: config.extension.map((path) => full(path)),
    caCert: config.caCert.map((path) => full(path)),
    clientCert: config.clientCert.map((text) => fullAfter(text, '=')),
    clientKey: config.clientKey.map((text) => fullAfter(text, '=')),
    proxy: config.proxy.map((url) => (PAC_FILE.test(url) ? fullAfter(url, 'pac:') : url)),
    allowRoot: config.allowRoot.map((path) => full(path)),
  };
};
