// Reads the JSON body of a request of the dashboard's page.
import type { IncomingMessage } from 'node:http';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import { parseJson } from '../../core/json.ts';

const MAX_BYTES = 64 * 1024;

/** Only JSON: a form of another page cannot send this content type without a preflight. */
export const readJsonBody = async (request: IncomingMessage): Promise<unknown> => {
  if (!request.headers['content-type']?.startsWith('application/json'))
    throw fail('bad_request', 'The body must be JSON.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw fail('payload_too_large', `The body may have at most ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const body = attempt(() => parseJson(Buffer.concat(chunks).toString('utf8')));
  if (body === undefined) throw fail('bad_request', 'The body is not JSON.');
  return body;
};
