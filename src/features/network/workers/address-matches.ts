// Worker thread that tests addresses with a caller's regular expression, which may be slow.
import { parentPort } from 'node:worker_threads';
import { attempt } from '../../../core/attempt.ts';

export interface AddressMatchRequest {
  readonly source: string;
  readonly flags: string;
  readonly texts: readonly string[];
}

/** For each text, whether the expression matches it; undefined if it cannot be run. */
export type AddressMatchAnswer = readonly boolean[] | undefined;

const testAll = ({ source, flags, texts }: AddressMatchRequest): AddressMatchAnswer => {
  // the expression is too large, or backtracking exceeds its stack
  return attempt(() => {
    const expression = new RegExp(source, flags);
    return texts.map((text) => expression.test(text));
  });
};

parentPort?.on('message', (request: AddressMatchRequest) =>
  parentPort?.postMessage(testAll(request)),
);
