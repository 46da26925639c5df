// The worker thread that searches in stored payloads: whatever an expression does, the server goes on, and can end the thread.
import { parentPort } from 'node:worker_threads';
import { grepPayload, type GrepRequest } from './grep.ts';
import { InvalidExpression, queryPayload, type QueryRequest } from './query.ts';

export type SearchRequest = QueryRequest | GrepRequest;

export type SearchAnswer =
  /** `large`: which of the items came as their text, because they do not fit into a page. */
  | { readonly kind: 'items'; readonly returned: number; readonly total: number; readonly content: unknown[]; readonly large: number[] }
  | { readonly kind: 'text'; readonly offset: number; readonly returned: number; readonly total: number; readonly content: string }
  | { readonly kind: 'invalid'; readonly message: string; readonly position: number };

const answer = (request: SearchRequest): SearchAnswer => {
  try {
    return request.kind === 'query' ? queryPayload(request) : grepPayload(request);
  } catch (error) {
    if (error instanceof InvalidExpression) return { kind: 'invalid', message: error.message, position: error.position };
    throw error;
  }
};

parentPort?.on('message', (request: SearchRequest) => parentPort?.postMessage(answer(request)));
