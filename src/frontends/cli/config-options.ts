// The configuration's flags as help shows them; they are parsed where the configuration is declared.
import { Option } from 'commander';
import { CONFIG_FIELDS, type ConfigField, type ConfigKey, flagOf } from '../../core/config.ts';

const optionOf = (key: ConfigKey): Option => {
  const { placeholder, kind, describe }: ConfigField = CONFIG_FIELDS[key];
  const value = kind === 'switch' ? '' : ` <${placeholder}>`;
  return new Option(`${flagOf(key)}${value}`, kind === 'list' ? `${describe} (repeatable)` : describe);
};

export const configOptions = (): Option[] => (Object.keys(CONFIG_FIELDS) as ConfigKey[]).map(optionOf);
