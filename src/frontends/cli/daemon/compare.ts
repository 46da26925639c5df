// What the running daemon does not do as this command says: asked for only where the two may differ.
import { type Config, type ConfigKey, flagOf } from '../../../core/config.ts';
import type { DaemonNote } from '../../../store/daemon-file.ts';
import { STATUS_PATH } from './paths.ts';
import { withFullPaths } from './settings.ts';
import type { DaemonStatus } from './status.ts';
import { ask } from './wire.ts';

/** Settings that are the daemon's own, or of the process that asks. */
const NOT_SHARED = new Set<ConfigKey>(['http', 'host', 'token', 'allowHost', 'allowOrigin', 'shared']);

export const compareSettings = async (note: DaemonNote, config: Config): Promise<string[]> => {
  const { body } = await ask(note, { method: 'GET', path: STATUS_PATH });
  const { config: running = {} } = (body ?? {}) as Partial<DaemonStatus>;
  return differences(running, withFullPaths(config, process.cwd()));
};

/** One line for every setting of this command that the running daemon does not have. */
export const differences = (running: Partial<Config>, own: Config): string[] => {
  const keys = (Object.keys(own) as ConfigKey[]).filter((key) => !NOT_SHARED.has(key) && show(own[key]) !== show(running[key]));
  return keys.map(
    (key) =>
      `[the daemon runs with ${flagOf(key)} ${show(running[key])}, not ${show(own[key])}: "openchrome daemon stop" lets the next command start it anew]`,
  );
};

const show = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));
