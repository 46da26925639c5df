// A hash of the settings that limit crawls: a worker takes only tasks of gateways with the same.
import { createHash } from 'node:crypto';
import { type Config, type ConfigKey, formatFlag } from '../../core/config.ts';

/** Not the settings that name files or programs: these differ between machines. */
const LIMITS: readonly ConfigKey[] = [
  'allowDomains',
  'blockDomains',
  'allowPrivateNetwork',
  'allowScheme',
  'policy',
  'readOnly',
  'disableTools',
  'sanitizeContent',
  'insecure',
];

export const LIMIT_FLAGS = LIMITS.map(formatFlag).join(', ');

export const hashLimits = (config: Config): string =>
  createHash('sha256')
    .update(JSON.stringify(LIMITS.map((key) => sortTexts(config[key]))))
    .digest('hex')
    .slice(0, 16);

/** The order of domains and tools has no meaning; that of rules has. */
const sortTexts = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.toSorted((a, b) => (a < b ? -1 : 1))
    : value;
