// Worker thread that finds original positions in large source maps.
import { parentPort } from 'node:worker_threads';
import { type GeneratedPosition, type Position, SourceMap } from '../source-map.ts';

export interface SourceMapRequest {
  readonly text: string;
  readonly base: string;
  readonly positions: readonly GeneratedPosition[];
}

/** One result for each requested position. */
export type SourceMapAnswer = readonly (Position | undefined)[];

/** The last map, because a page's errors usually come from one script. */
let last: { readonly text: string; readonly map: SourceMap | undefined } | undefined;

parentPort?.on('message', ({ text, base, positions }: SourceMapRequest) => {
  if (last?.text !== text) last = { text, map: SourceMap.parse(text, base) };
  const { map } = last;
  parentPort?.postMessage(positions.map(({ line, column }) => map?.find(line, column)));
});
