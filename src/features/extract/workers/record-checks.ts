// Worker thread that checks records against a schema with patterns of the caller.
import { parentPort } from 'node:worker_threads';
import { attempt } from '../../../core/attempt.ts';
import { buildRecordCheck, type FieldError } from '../record-check.ts';
import type { RecordSchema } from '../schema-fields.ts';

export interface RecordCheckRequest {
  readonly schema: RecordSchema;
  readonly records: readonly unknown[];
}

/** Undefined if a pattern cannot be run. */
export type RecordCheckAnswer = FieldError[] | undefined;

const check = ({ schema, records }: RecordCheckRequest): RecordCheckAnswer => {
  // the expression is too large, or backtracking exceeds its stack
  return attempt(() => buildRecordCheck(schema)(records));
};

parentPort?.on('message', (request: RecordCheckRequest) => parentPort?.postMessage(check(request)));
