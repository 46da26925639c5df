// Hides the settings of a configuration that contain a password.
import { createHash } from 'node:crypto';
import { CONFIG_FIELDS, type ConfigField } from '../../../core/config-fields.ts';
import type { Config, ConfigKey } from '../../../core/config.ts';

/** Equal passwords have equal marks, so that two configurations can still be compared. */
export const hidePasswords = (config: Config): Config => {
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    hideSetting(key as ConfigKey, value),
  ]);
  return Object.fromEntries(entries) as Config;
};

const hideSetting = (key: ConfigKey, value: unknown): unknown => {
  const fields: Readonly<Record<ConfigKey, ConfigField>> = CONFIG_FIELDS;
  const hide = fields[key].secret ? hideText : HIDE_PART[key];
  if (!hide) return value;
  if (Array.isArray(value)) return value.map((item) => hide(String(item)));
  return typeof value === 'string' ? hide(value) : value;
};

const hideText = (text: string): string =>
  `(set, ${createHash('sha256').update(text).digest('hex').slice(0, 8)})`;

/** Hides the part between two positions; an empty part stays empty. */
const hidePart = (text: string, from: number, to: number): string =>
  from < to ? text.slice(0, from) + hideText(text.slice(from, to)) + text.slice(to) : text;

const hideAfter = (text: string, mark: string): string => {
  const at = text.indexOf(mark);
  return at === -1 ? text : hidePart(text, at + mark.length, text.length);
};

/** Hides the user and the password of a URL. */
const hideUser = (url: string): string => {
  const scheme = url.indexOf('://');
  return scheme === -1 ? url : hidePart(url, scheme + 3, url.lastIndexOf('@'));
};

/** A provider of browsers expects its token in the query or in front of the host. */
const hideUserAndQuery = (url: string): string => hideUser(hideAfter(url, '?'));

const HIDE_PART: Readonly<Partial<Record<ConfigKey, (text: string) => string>>> = {
  proxy: hideUser,
  attach: hideUserAndQuery,
  attachFrom: hideUserAndQuery,
  attachHeader: (header) => hideAfter(header, '='),
};
