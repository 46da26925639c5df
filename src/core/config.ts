// Resolves the configuration from defaults, openchrome.json files, the environment and flags.
import type { z } from 'zod';
import { findClosest } from './closest.ts';
import { CONFIG_FIELDS, type ConfigField } from './config-fields.ts';
import { fail } from './failure.ts';
import { explainIssue } from './issue-text.ts';
import { isRecord } from './json.ts';
import { splitFlag } from './text.ts';

type Fields = typeof CONFIG_FIELDS;
export type ConfigKey = keyof Fields;
export type Config = { readonly [K in ConfigKey]: z.output<Fields[K]['schema']> };

const KEYS = Object.keys(CONFIG_FIELDS) as ConfigKey[];
const field = (key: ConfigKey): ConfigField => CONFIG_FIELDS[key];

export const formatFlag = (key: ConfigKey): string =>
  `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
export const formatVariable = (key: ConfigKey): string =>
  `OPENCHROME_${key.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`;

type RawConfig = { [K in ConfigKey]?: unknown };

/** A parsed openchrome.json, with its path for messages. */
interface ConfigSource {
  readonly path: string;
  readonly content: unknown;
}

export interface ConfigSources {
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The file in the home folder: the owner's. */
  readonly homeFile?: ConfigSource;
  /**
   * The file in the working folder. It may come from a stranger, so it cannot widen what the owner
   * allowed.
   */
  readonly projectFile?: ConfigSource;
}

export interface Settings {
  readonly config: Config;
  /**
   * Keys whose value must be the same in a running daemon: given by this caller, or limits in the
   * owner's file.
   */
  readonly binding: readonly ConfigKey[];
  /** Where each value that is not a default comes from: a flag, a variable or a file. */
  readonly sources: ConfigOrigins;
}

export type ConfigOrigins = { readonly [K in ConfigKey]?: string };

/** Precedence, lowest first: default, home file, project file, environment, flag. */
export const resolveSettings = ({
  flags = [],
  env = {},
  homeFile,
  projectFile,
}: ConfigSources): Settings => {
  const home = homeFile ? fromFile(homeFile) : {};
  const project = projectFile ? fromProjectFile(projectFile, home) : {};
  const [variables, flagged] = [fromEnv(env), fromFlags(flags)];
  const given = { ...project, ...variables, ...flagged };
  const raw: RawConfig = { ...home, ...given };
  const entries = KEYS.map((key) => {
    const parsed = field(key).schema.safeParse(raw[key]);
    if (!parsed.success) throw rejectSetting(key, raw[key], parsed.error);
    return [key, parsed.data] as const;
  });
  const isBinding = (key: ConfigKey): boolean =>
    key in given || (key in home && field(key).restricts === true);
  const sources: ConfigOrigins = {
    ...nameOrigin(home, () => homeFile?.path ?? ''),
    ...nameOrigin(project, () => projectFile?.path ?? ''),
    ...nameOrigin(variables, (key) => findVariable(key, env) ?? ''),
    ...nameOrigin(flagged, () => 'flag'),
  };
  return {
    config: Object.fromEntries(entries) as Config,
    binding: KEYS.filter(isBinding),
    sources,
  };
};

/** A rule that only the owner's file can set is named by its position in the file. */
const rejectSetting = (key: ConfigKey, value: unknown, error: z.ZodError): Error => {
  if (field(key).kind !== 'file') return rejectValue(key, value, error);
  const { path = [], message = 'not valid' } = error.issues[0] ?? {};
  return invalid(key, `openchrome.json: ${[key, ...path].join('.')}: ${message}`);
};

const nameOrigin = (raw: RawConfig, name: (key: ConfigKey) => string): ConfigOrigins =>
  Object.fromEntries((Object.keys(raw) as ConfigKey[]).map((key) => [key, name(key)]));

const findVariable = (key: ConfigKey, env: NodeJS.ProcessEnv): string | undefined =>
  [formatVariable(key), ...(field(key).env ?? [])].find((name) => (env[name] ?? '') !== '');

export const resolveConfig = (sources: ConfigSources): Config => resolveSettings(sources).config;

const rejectValue = (key: ConfigKey, value: unknown, { issues: [issue] }: z.ZodError): Error => {
  if (issue?.code === 'invalid_format' || issue?.code === 'custom')
    return invalid(key, `${formatFlag(key)}: ${issue.message}`);
  const why = issue ? explainIssue(issue, value, field(key).schema) : 'is not valid';
  return invalid(key, `${formatFlag(key)} ${why}.`);
};

const invalid = (argument: string, message: string): Error =>
  fail('invalid_argument', message, { argument });

const fromFile = ({ content, path }: ConfigSource): RawConfig => {
  if (!isRecord(content)) throw invalid('openchrome.json', `${path} must contain one JSON object.`);
  for (const key of Object.keys(content))
    if (!Object.hasOwn(CONFIG_FIELDS, key))
      throw invalid(
        key,
        `${path} has the unknown key "${key}"${didYouMean(findClosest(key, KEYS))}`,
      );
  return content;
};

/** The settings of a working folder's file; `home` are the settings of the owner's file. */
const fromProjectFile = (file: ConfigSource, home: RawConfig): RawConfig => {
  const project = fromFile(file);
  for (const key of Object.keys(project) as ConfigKey[]) {
    if (field(key).ownerOnly)
      throw invalid(
        key,
        `${file.path} may not set "${key}", because it is in a working folder. ` +
          `Set it in the home folder's file, the environment or a flag.`,
      );
    if (key === 'isolated' && home.isolated === true && project.isolated !== true)
      throw invalid(
        key,
        `${file.path} may not switch off "isolated", ` +
          `because the home folder's file switches it on.`,
      );
  }
  return project;
};

const fromEnv = (env: NodeJS.ProcessEnv): RawConfig => {
  const raw: RawConfig = {};
  for (const key of KEYS) {
    const name = findVariable(key, env);
    if (name !== undefined) raw[key] = fromText(key, env[name] ?? '');
  }
  return raw;
};

const fromText = (key: ConfigKey, text: string): unknown => {
  if (field(key).kind === 'file')
    throw invalid(
      key,
      `${formatVariable(key)}: set "${key}" in the home folder's openchrome.json.`,
    );
  if (field(key).kind === 'list') return text.split(',').map((part) => part.trim());
  if (field(key).kind === 'value') return text;
  if (/^(1|true|on|yes)$/i.test(text)) return true;
  if (/^(0|false|off|no)$/i.test(text)) return false;
  throw invalid(key, `${formatVariable(key)} must be on or off, not "${text}".`);
};

const fromFlags = (flags: readonly string[]): RawConfig => {
  const flagged = KEYS.filter((key) => field(key).kind !== 'file');
  const byFlag = new Map(flagged.map((key) => [formatFlag(key), key]));
  const raw: RawConfig = {};
  for (let i = 0; i < flags.length; i++) {
    const [flag, inline] = splitFlag(flags[i] ?? '');
    const negated = flag.startsWith('--no-') ? byFlag.get(`--${flag.slice(5)}`) : undefined;
    const key = byFlag.get(flag) ?? negated;
    if (!key)
      throw invalid(
        flag,
        `Unknown option ${flag}${didYouMean(findClosest(flag, [...byFlag.keys()]))}`,
      );
    const { kind } = field(key);
    if (kind === 'switch') {
      raw[key] = inline === undefined ? !negated : fromText(key, inline);
      continue;
    }
    if (negated) throw invalid(flag, `${formatFlag(key)} expects a value and cannot be negated.`);
    const text = inline ?? flags[++i];
    if (text === undefined)
      throw invalid(flag, `${flag} needs a value: ${flag} <${field(key).placeholder}>.`);
    raw[key] = kind === 'list' ? [...((raw[key] as string[] | undefined) ?? []), text] : text;
  }
  return raw;
};

const didYouMean = (name: string | undefined): string => (name ? `; did you mean ${name}?` : '.');
