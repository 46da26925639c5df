// docs/config.md: every field of the configuration with its flag, variable and key.
import { CONFIG_FIELDS, type ConfigField } from '../../src/core/config-fields.ts';
import {
  type ConfigKey,
  formatFlag,
  resolveConfig,
  formatVariable,
} from '../../src/core/config.ts';
import { code, fence, table } from './markdown.ts';

const defaults = resolveConfig({});

const rowOf = (key: ConfigKey): string[] => {
  const { kind, placeholder, describe, env = [], ownerOnly }: ConfigField = CONFIG_FIELDS[key];
  if (kind === 'file')
    return ['', '', code(key), '', `${describe}; only in the home folder's file`];
  const flag = kind === 'switch' ? formatFlag(key) : `${formatFlag(key)} <${placeholder}>`;
  const value = defaults[key];
  const shown =
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? ''
      : code(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return [
    code(flag),
    [formatVariable(key), ...env].map(code).join(' '),
    code(key),
    shown,
    `${describe}${kind === 'list' ? ' (repeatable)' : ''}${ownerOnly ? '; not from a working folder' : ''}`,
  ];
};

export const configPage = (): string => `# Configuration

The sources of a setting, in order of precedence:

1. the flag
2. the environment variable
3. \`openchrome.json\` in the working folder (cannot set limits or programs)
4. \`openchrome.json\` in the home folder
5. the default

A command or a host of \`serve --shared\` fails with \`daemon_settings_mismatch\` if the running daemon has another value for a
setting that the command sets, or for a limit in the home folder's file. Turn a switch off with \`--no-NAME\`, with \`off\` in the
environment or with \`false\` in the file. A list is a repeated flag, a comma-separated variable or an array in the file.

${table(['flag', 'environment', 'key', 'default', 'meaning'], (Object.keys(CONFIG_FIELDS) as ConfigKey[]).map(rowOf))}

All files are in one home folder: \`~/.openchrome\`, or the folder in \`OPENCHROME_HOME\`. \`OPENCHROME_TASK_ROOT\` sets another
folder for tasks. An example of openchrome.json:

${fence(JSON.stringify({ headless: true, viewport: '1440x900', chromeArg: ['--lang=en'] }, null, 2), 'json')}`;
