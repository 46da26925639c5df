// Compares the settings of a client with those of the running daemon.
import { hidePasswords } from './hide-passwords.ts';
import { type ConfigKey, formatFlag, type Settings } from '../../../core/config.ts';
import { fail } from '../../../core/failure.ts';
import type { DaemonNote } from '../../../store/config/daemon-file.ts';
import { requestDaemon } from './request-daemon.ts';
import { STATUS_PATH } from './wire.ts';
import { withFullPaths } from './settings.ts';
import type { DaemonStatus } from './status.ts';

/** Settings that belong to the daemon alone, or to each client. */
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
];

/** A host of `serve --shared` has a log of its own; a command has only the daemon's. */
const OF_HOSTS: readonly ConfigKey[] = [...NOT_SHARED, 'logLevel'];

/**
 * Throws if the daemon has another value for a setting that this client gave, or that its owner's
 * file limits.
 */
export const requireMatchingDaemon = async (
  note: DaemonNote,
  { config, binding, sources }: Settings,
  client: 'command' | 'host',
): Promise<void> => {
  const { body } = await requestDaemon(note, { method: 'GET', path: STATUS_PATH });
  const { config: running = {} } = (body ?? {}) as Partial<DaemonStatus>;
  const hidden = hidePasswords(config);
  const own = withFullPaths(hidden, process.cwd());
  const separate = client === 'host' ? OF_HOSTS : NOT_SHARED;
  const different = binding.filter(
    (key) => !separate.includes(key) && format(own[key]) !== format(running[key]),
  );
  if (different.length === 0) return;
  const list = different.map(
    (key) => `${formatFlag(key)} is ${format(running[key])} there and ${format(own[key])} here`,
  );
  const flags = different
    .filter((key) => sources[key] === 'flag')
    .flatMap((key) => formatFlags(key, own[key], format(hidden[key]) !== format(config[key])));
  const restart = ['openchrome daemon restart', ...flags].join(' ');
  throw fail(
    'daemon_settings_mismatch',
    `The running daemon has other settings: ${list.join('; ')}.`,
    {
      pid: note.pid,
      settings: different.map(formatFlag),
      hint: `Restart it with these settings (this closes its tabs): ${restart}`,
    },
  );
};

/** The flags that set a value. A value with a password is left out: the user has to type it. */
const formatFlags = (key: ConfigKey, value: unknown, hasPassword: boolean): string[] => {
  const flag = formatFlag(key);
  if (hasPassword) return [`${flag} ...`];
  if (value === true) return [flag];
  if (value === false) return [`--no-${flag.slice(2)}`];
  return [value].flat().map((one) => `${flag} ${quoteWord(String(one))}`);
};

const quoteWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Lists of texts are compared without their order; that of rules matters. */
const format = (value: unknown): string => {
  if (value === undefined) return 'unset';
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return JSON.stringify(isTexts ? value.toSorted((a, b) => (a < b ? -1 : 1)) : value);
};
