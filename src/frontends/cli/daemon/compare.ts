// What the running daemon does not do as this command says: asked for only where the two may differ.
import { type Config, type ConfigKey, flagOf, keysGiven } from '../../../core/config.ts';
import type { DaemonNote } from '../../../store/daemon-file.ts';
import { STATUS_PATH } from './paths.ts';
import { withFullPaths } from './settings.ts';
import type { DaemonStatus } from './status.ts';
import { ask } from './wire.ts';

/** Settings that are the daemon's own, or that each client has for itself. */
const NOT_SHARED: readonly ConfigKey[] = [
  'http',
  'host',
  'token',
  'allowHost',
  'allowOrigin',
  'shared',
  'slim',
  'allTools',
  'structuredContent',
  'logLevel',
];

/** One line for every setting that was given to this command, by flag or variable, and that the running daemon does not have. */
export const compareSettings = async (note: DaemonNote, config: Config, flags: readonly string[]): Promise<string[]> => {
  const { body } = await ask(note, { method: 'GET', path: STATUS_PATH });
  const { config: running = {} } = (body ?? {}) as Partial<DaemonStatus>;
  const own = withFullPaths(config, process.cwd());
  const keys = keysGiven({ flags, env: process.env }).filter((key) => !NOT_SHARED.includes(key));
  return keys.filter((key) => show(own[key]) !== show(running[key])).map((key) => differs(key, running[key], own[key]));
};

const differs = (key: ConfigKey, running: unknown, wanted: unknown): string =>
  `[the daemon runs with ${flagOf(key)} ${show(running)}, not ${show(wanted)}: "openchrome daemon stop" lets the next command start a new one]`;

const show = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));
