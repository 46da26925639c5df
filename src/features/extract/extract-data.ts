// Extracts records that match a JSON Schema from the data of a page.
import type { PageRecords } from '../../browser/read/read-modes.ts';
import { listIf } from '../../core/collections.ts';
import { defined, valueIf } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { coerce } from './coerce.ts';
import { type FieldMatch, matchFields } from './match.ts';
import { buildRecordCheck, type FieldError } from './record-check.ts';
import { collectRecord, collectRecords, type RecordSet } from './record-sets.ts';
import {
  collectSchemaFields,
  findRecordSchema,
  type RecordSchema,
  type SchemaField,
} from './schema-fields.ts';
import type { RecordCheckAnswer, RecordCheckRequest } from './workers/record-checks.ts';

/** Detects nested quantifiers such as `(a+)+`, which can backtrack exponentially. */
const SLOW_PATTERN = /\([^()]*[+*}][^()]*\)\s*[+*{]/;

const MAX_PATTERN_CHARS = 1000;

/** Time limit for all records. Includes the start of the thread. */
const PATIENCE_MS = 3000;
const MAX_HEAP_MB = 256;

const SCRIPT: WorkerScript = {
  name: 'record-checks',
  loadSource: async () => (await import('worker-script:record-checks')).default,
  maxHeapMb: MAX_HEAP_MB,
};

export type RecordValidator = (
  records: readonly unknown[],
  workers: WorkerPool,
  signal: AbortSignal,
) => Promise<FieldError[]>;

/** Throws `invalid_argument` for a schema that cannot be used or has a slow pattern. */
export const createValidator = (schema: RecordSchema): RecordValidator => {
  const patterns = listPatterns(schema);
  for (const pattern of patterns)
    if (pattern.length > MAX_PATTERN_CHARS || SLOW_PATTERN.test(pattern)) throw tooSlow(pattern);
  const check = buildRecordCheck(schema);
  if (patterns.length === 0) return async (records) => check(records);
  return (records, workers, signal) =>
    checkInWorker({ schema, records }, patterns, workers, signal);
};

/** A caller's pattern can be slow on the text of a page: only a thread can be stopped. */
const checkInWorker = async (
  request: RecordCheckRequest,
  patterns: readonly string[],
  workers: WorkerPool,
  signal: AbortSignal,
): Promise<FieldError[]> => {
  const onTimeout = (): Failure => tooSlow(patterns.join(' '));
  const options = { timeoutMs: PATIENCE_MS, onTimeout, signal };
  const answer = await workers
    .run<RecordCheckAnswer>(SCRIPT, request, options)
    .catch((error: unknown) => {
      throw isWorkerOutOfMemory(error) ? onTimeout() : error;
    });
  if (!answer) throw onTimeout();
  return answer;
};

const listPatterns = (schema: unknown): string[] => {
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'pattern' && typeof value === 'string' ? [value] : []),
    ...(key === 'patternProperties' && isObject(value) ? Object.keys(value) : []),
    ...listPatterns(value),
  ]);
};

const tooSlow = (pattern: string): Failure =>
  fail('invalid_argument', `The pattern ${pattern.slice(0, 100)} could take too long.`, {
    argument: 'schema',
    hint: 'Avoid nested repetitions, or omit the pattern.',
  });

export type Extracted = Record<string, unknown>;

export interface Extraction {
  readonly items: readonly Extracted[];
  /** The source of each field, by field path. */
  readonly provenance: Readonly<Record<string, string>>;
  /** Fields without a matching column. */
  readonly missing: readonly string[];
  readonly errors: readonly FieldError[];
  /** Number of errors that are not listed. */
  readonly more_errors?: number;
}

const MAX_ERRORS = 50;

interface Extractor {
  readonly multiple: boolean;
  readonly extract: (
    page: PageRecords,
    workers: WorkerPool,
    signal: AbortSignal,
  ) => Promise<Extraction>;
}

/** Throws `invalid_argument` for an unusable schema, before any page is read. */
export const createExtractor = (given: RecordSchema, multiple: boolean | undefined): Extractor => {
  const { schema, array } = findRecordSchema(given);
  const fields = collectSchemaFields(schema);
  const validate = createValidator(schema);
  const many = multiple ?? array;
  return {
    multiple: many,
    extract: async (page, workers, signal) => {
      const { items, matches } = many
        ? fromBestSet(fields, collectRecords(page))
        : fromAllSets(fields, page);
      const errors = await validate(items, workers, signal);
      return defined({
        items,
        provenance: Object.fromEntries(
          matches.map(({ field, column }) => [field.path.join('.'), column.from]),
        ),
        missing: fields
          .filter((field) => !matches.some((match) => match.field === field))
          .map(({ path }) => path.join('.')),
        errors: errors.slice(0, MAX_ERRORS),
        more_errors: valueIf(errors.length > MAX_ERRORS, errors.length - MAX_ERRORS),
      });
    },
  };
};

interface Drawn {
  readonly items: Extracted[];
  readonly matches: readonly FieldMatch[];
}

/**
 * Weight of each source: machine-readable data ranks above data that is inferred from the layout.
 */
const TRUST: Readonly<Record<RecordSet['source'], number>> = {
  'json-ld': 1,
  microdata: 0.98,
  table: 0.95,
  'definition-list': 0.9,
  opengraph: 0.85,
  repeated: 0.85,
  page: 0.75,
  document: 0.5,
};

const fromBestSet = (fields: readonly SchemaField[], sets: readonly RecordSet[]): Drawn => {
  let best: { score: number; set: RecordSet; matches: FieldMatch[] } | undefined;
  for (const set of sets) {
    const matches = matchFields(fields, set);
    const score =
      (matches.reduce((sum, match) => sum + match.score, 0) / fields.length) *
      TRUST[set.source] *
      (1 + Math.log10(set.size) / 20);
    if (matches.length > 0 && score > (best?.score ?? 0)) best = { score, set, matches };
  }
  if (!best) return { items: [], matches: [] };
  const { set, matches } = best;
  const items = Array.from({ length: set.size }, (_, i) => recordAt(matches, i)).filter(
    (item) => Object.keys(item).length > 0,
  );
  return { items, matches };
};

/**
 * Selects the best match for each field from all sources. A source that matches many fields is
 * preferred.
 */
const fromAllSets = (fields: readonly SchemaField[], page: PageRecords): Drawn => {
  const sets = collectRecord(page).map((set) => {
    const matches = matchFields(fields, set);
    return {
      set,
      matches,
      share: matches.reduce((sum, match) => sum + match.score, 0) / fields.length,
    };
  });
  const chosen = new Map<SchemaField, { match: FieldMatch; worth: number }>();
  for (const { set, matches, share } of sets) {
    for (const match of matches) {
      const worth = match.score * TRUST[set.source] * (0.7 + 0.3 * Math.min(1, share));
      if (worth > (chosen.get(match.field)?.worth ?? 0)) chosen.set(match.field, { match, worth });
    }
  }
  const matches = fields.flatMap((field) => chosen.get(field)?.match ?? []);
  const item = recordAt(matches, 0);
  return { items: listIf(Object.keys(item).length > 0, item), matches };
};

const recordAt = (matches: readonly FieldMatch[], index: number): Extracted => {
  const record: Extracted = {};
  for (const { field, column } of matches) {
    const found = column.values[index];
    const value = found && coerce(field, found);
    if (value !== undefined && value !== '') put(record, field.path, value);
  }
  return record;
};

const put = (record: Extracted, path: readonly string[], value: unknown): void => {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    Object.defineProperty(record, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    }); // defineProperty, because a schema may name a field `__proto__`
    return;
  }
  if (!Object.hasOwn(record, name)) put(record, [name], {});
  put(record[name] as Extracted, rest, value);
};
