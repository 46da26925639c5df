// Arguments out of a tool's own schema, and against it: seeded, so that a finding can be repeated.

export type Random = () => number;

/** A small generator with a seed (mulberry32). */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/**
 * What a field of that name may hold in this house: places that exist, refs that may exist,
 * selectors that parse or not.
 */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

const HOSTILE_TEXT: readonly string[] = [
  '',
  ' ',
  '\0',
  '\u202Eabc\u2066',
  '\uD800',
  '😀'.repeat(50),
  'x'.repeat(100_000),
  '__proto__',
  'constructor',
  '${SECRET:NONE}',
  '"; alert(1); //',
  '</script><script>alert(1)</script>',
  '../../../../etc/passwd',
  'C:\\Windows\\win.ini',
  'a\r\nSet-Cookie: b=c',
  '(a+)+$',
  '[[[[[[[[',
  '%00%ff%zz',
  'e1',
  'e99999999',
  '-1',
  'null',
];
const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -1,
  1,
  1.5,
  1e21,
  -1e21,
  2 ** 31,
  2 ** 53,
  1e-9,
  65_536,
];

export const hostile = (random: Random, depth = 0): unknown => {
  const kind = Math.floor(random() * 8);
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return pick(random, HOSTILE_NUMBERS);
  if (kind <= 5 || depth > 3) return pick(random, HOSTILE_TEXT);
  if (kind === 6)
    return Array.from({ length: Math.floor(random() * 4) }, () => hostile(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 4) }, () => [
      pick(random, HOSTILE_TEXT).slice(0, 50),
      hostile(random, depth + 1),
    ]),
  );
};

/** A value that the schema allows, or nearly. */
export const valueOf = (schema: Schema, name: string, pools: Pools, random: Random): unknown => {
  const pool = pools[name];
  if (pool && random() < 0.9) return pick(random, pool);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(random, schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return valueOf(pick(random, choices), name, pools, random);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'string':
      return pick(random, random() < 0.7 ? (pools['text'] as readonly string[]) : HOSTILE_TEXT);
    case 'integer':
      return Math.floor(random() * 200);
    case 'number':
      return random() < 0.8 ? Math.floor(random() * 500) : pick(random, HOSTILE_NUMBERS);
    case 'boolean':
      return random() < 0.5;
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () =>
        valueOf(schema.items ?? {}, name, pools, random),
      );
    case 'object':
      return objectOf(schema, pools, random);
    default:
      return hostile(random);
  }
};

/** Every required field, and some of the others. */
export const objectOf = (schema: Schema, pools: Pools, random: Random): Record<string, unknown> => {
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) || random() < 0.3)
      made[name] = valueOf(field, name, pools, random);
  }
  return made;
};

/** One thing about it is wrong: a field is missing, of another kind, or unknown. */
export const mutate = (
  args: Readonly<Record<string, unknown>>,
  random: Random,
): Record<string, unknown> => {
  const names = Object.keys(args);
  const name = names.length > 0 ? pick(random, names) : 'x';
  const { [name]: _, ...without } = args;
  const way = random();
  if (way < 0.2) return without;
  if (way < 0.8) return { ...args, [name]: hostile(random) };
  return { ...args, [pick(random, HOSTILE_TEXT).slice(0, 40)]: hostile(random) };
};
