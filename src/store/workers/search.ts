// Worker thread that searches in stored payloads. The server can end it if it takes too long.
import { parentPort } from 'node:worker_threads';
import { grepPayload, type GrepRequest } from './grep.ts';
import { InvalidExpression, type MissingKey, queryPayload, type QueryRequest } from './query.ts';

export type SearchRequest = QueryRequest | GrepRequest;

export interface ItemsAnswer {
  readonly kind: 'items';
  readonly returned: number;
  readonly total: number;
  readonly content: unknown[];
  /** Indexes of items that are larger than a page; their content is their JSON text. */
  readonly large: number[];
  readonly missing?: MissingKey | undefined;
}

export type SearchAnswer =
  | ItemsAnswer
  | {
      readonly kind: 'text';
      readonly offset: number;
      readonly returned: number;
      readonly total: number;
      readonly content: string;
    }
  | {
      readonly kind: 'invalid';
      readonly message: string;
      readonly position: number;
      readonly missing?: MissingKey | undefined;
    };

const answer = (request: SearchRequest): SearchAnswer => {
  try {
    return request.kind === 'query' ? queryPayload(request) : grepPayload(request);
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error;
    const { message, position, missing } = error;
    return { kind: 'invalid', message, position, missing };
  }
};

parentPort?.on('message', (request: SearchRequest) => parentPort?.postMessage(answer(request)));
