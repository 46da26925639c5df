// Validates extracted records against the JSON Schema of the call.
import { fail, type Failure } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { buildRecordCheck, type FieldError } from './record-check.ts';
import type { RecordSchema } from './schema-fields.ts';
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
