// docs/config.md: every field of the configuration with its flag, variable and key.
import {
  CONFIG_FIELDS,
  type ConfigField,
  type ConfigKey,
  formatFlag,
  resolveConfig,
  formatVariable,
} from '../../src/core/config.ts';
import { code, fence, table } from './markdown.ts';

const defaults = resolveConfig({});

const rowOf = (key: ConfigKey): string[] => {
  const { kind, placeholder, describe, env = [], ownerOnly }: ConfigField = CONFIG_FIELDS[key];
  const flag = kind === 'switch' ? formatFlag(key) : `${formatFlag(key)} <${placeholder}>`;
  const value = defaults[key];
  const shown =
    value === undefined || (Array.isArray(value) && value.length === 0) ? '' : code(String(value));
  return [
    code(flag),
    [formatVariable(key), ...env].map(code).join(' '),
    code(key),
    shown,
    `${describe}${kind === 'list' ? ' (repeatable)' : ''}${ownerOnly ? '; not from a working folder' : ''}`,
  ];
};

export const configPage = (): string => `# Configuration

A value comes from its flag, else from its environment variable, else from \`openchrome.json\` in the working folder, else from
\`openchrome.json\` in the home folder, else it is the default. Both files are read; the one in a working folder may not set limits or programs.
A command or a host of \`serve --shared\` fails with \`daemon_settings_mismatch\` if the running daemon has another value for a setting that it
gives, or for a limit in the home folder's file. A switch is turned off with \`--no-NAME\`, \`off\` in the environment or \`false\` in the file; lists are repeated flags, commas
in the environment, arrays in the file.

${table(['flag', 'environment', 'key', 'default', 'meaning'], (Object.keys(CONFIG_FIELDS) as ConfigKey[]).map(rowOf))}

Everything on disk lives in one home folder: \`~/.openchrome\`, or what \`OPENCHROME_HOME\` names. Only the tasks can
stand elsewhere: \`OPENCHROME_TASK_ROOT\` names their folder.

${fence(JSON.stringify({ headless: true, viewport: '1440x900', chromeArg: ['--lang=en'] }, null, 2), 'json')}`;
