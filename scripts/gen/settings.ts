// The settings as plain data, for starts that load no schemas.
import { z } from 'zod';
import { type ConfigKey, formatFlag, formatVariable } from '../../src/core/config.ts';
import { CONFIG_FIELDS, type ConfigField } from '../../src/core/config-fields.ts';
import type { PlainFlag, PlainSettings } from '../../src/core/plain-config.ts';

const FIELDS = Object.entries<ConfigField>(CONFIG_FIELDS) as [ConfigKey, ConfigField][];

const describeSchema = (schema: z.ZodType): string =>
  JSON.stringify(z.toJSONSchema(schema, { io: 'input' }));

/** Values that these schemas check need no check, except that they are not empty. */
const ANY_TEXT = [z.string().min(1).optional(), z.array(z.string().min(1)).default([])].map(
  describeSchema,
);

const describeFlags = ([key, { kind, schema }]: (typeof FIELDS)[number]) => {
  const flag = formatFlag(key);
  const flags: [string, PlainFlag][] = [];
  if (kind === 'switch')
    flags.push([flag, { key, value: true }], [flag.replace('--', '--no-'), { key, value: false }]);
  if ((kind === 'value' || kind === 'list') && ANY_TEXT.includes(describeSchema(schema)))
    flags.push([flag, { key, kind }]);
  return flags;
};

export const describeSettings = (): PlainSettings => ({
  defaults: FIELDS.map(([key, { schema }]) => ({ key, value: schema.parse(undefined) })),
  variables: FIELDS.flatMap(([key, { env = [] }]) => [formatVariable(key), ...env]),
  flags: Object.fromEntries(FIELDS.flatMap(describeFlags)),
});
