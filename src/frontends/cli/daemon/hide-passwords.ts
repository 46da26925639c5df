// Hides the settings of a configuration that contain a password.
import { createHash } from 'node:crypto';
import {
  CONFIG_FIELDS,
  type Config,
  type ConfigField,
  type ConfigKey,
} from '../../../core/config.ts';

/** Equal passwords have equal marks, so that two configurations can still be compared. */
export const hidePasswords = (config: Config): Config => {
  const fields: Readonly<Record<ConfigKey, ConfigField>> = CONFIG_FIELDS;
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    fields[key as ConfigKey].secret && typeof value === 'string' ? hideText(value) : value,
  ]);
  return Object.fromEntries(entries) as Config;
};

const hideText = (text: string): string =>
  `(set, ${createHash('sha256').update(text).digest('hex').slice(0, 8)})`;
