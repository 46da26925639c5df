// A recording as one JSON document, written part by part: it may be larger than is good for one string.
import type { KeptFiles } from '../../store/working-files.ts';
import { CALLS, CONSOLE, DOM, type KeptStart, NETWORK } from './kept.ts';

export async function* recordingJson(
  kept: KeptFiles,
  start: KeptStart,
  parts: { readonly summary: object; readonly steps: readonly object[]; readonly screenshots: readonly object[] },
): AsyncGenerator<string> {
  const { folder: _, exports: __, version, ...facts } = start;
  yield `{"format":"openchrome-recording","format_version":1,"openchrome":${JSON.stringify(version)},"start":${JSON.stringify(facts)}`;
  yield `,\n"summary":${JSON.stringify(parts.summary)}`;
  yield `,\n"steps":[${parts.steps.map((step) => JSON.stringify(step)).join(',\n')}]`;
  yield `,\n"screenshots":${JSON.stringify(parts.screenshots)}`;
  for (const [name, file] of [
    ['calls', CALLS],
    ['console', CONSOLE],
    ['network', NETWORK],
    ['dom', DOM],
  ] as const) {
    yield `,\n"${name}":[`;
    yield* listed(kept, file);
    yield ']';
  }
  yield '}\n';
}

async function* listed(kept: KeptFiles, file: string): AsyncGenerator<string> {
  let before = '';
  for await (const entry of kept.entries<object>(file)) {
    yield `${before}${JSON.stringify(entry)}`;
    before = ',\n';
  }
}
