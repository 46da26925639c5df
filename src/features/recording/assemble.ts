// Writes the exports of a recording that ended, was cancelled or was killed.
import { join } from 'node:path';
import { writeParts } from '../../store/files/recordings.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import {
  CALLS,
  CONSOLE,
  DOM,
  type DomEvent,
  END,
  type KeptCall,
  type KeptEnd,
  type KeptNote,
  type KeptScreenshot,
  type KeptStart,
  loadAllLines,
  NETWORK,
  NOTES,
  type RecordedStep,
  RESULT,
  SCREENSHOTS,
  START,
  STEPS,
} from './kept-lines.ts';
import { renderPlaywrightScript } from './playwright.ts';
import { renderPuppeteerScript } from './puppeteer.ts';
import type { Export } from './recording-options.ts';
import { replayHtml } from './replay-page.ts';
import { buildScriptSteps, describeStep } from './script-steps.ts';

export interface RecordingSummary {
  readonly url: string;
  readonly final_url: string;
  readonly title: string;
  readonly stop_reason: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly steps: number;
  readonly calls: number;
  /** Calls that failed; the replay lists them among the steps. */
  readonly failed_calls: number;
  readonly dom_events: number;
  readonly console: number;
  readonly requests: number;
  readonly screenshots: number;
  /** Reasons why parts of the recording are missing. */
  readonly notes: readonly string[];
}

export interface RecordingResult {
  readonly summary: RecordingSummary;
  readonly folder: string;
  readonly files: readonly {
    readonly export: string;
    readonly path: string;
    readonly bytes: number;
  }[];
  /** One line per step. */
  readonly steps: readonly string[];
}

/** Undefined if the recording was killed before it started. */
export const assembleRecording = async (
  kept: KeptFiles,
  code: string,
): Promise<RecordingResult | undefined> => {
  const [made] = await loadAllLines<RecordingResult>(kept, RESULT);
  if (made) return made;
  const [begun] = await loadAllLines<KeptStart>(kept, START);
  if (!begun) return undefined;
  const start = await withViewport(kept, begun);
  const steps = await loadAllLines<RecordedStep>(kept, STEPS);
  const screenshots = await saveScreenshots(kept, start);
  const summary = await summarise(kept, start, steps, { code, screenshots: screenshots.length });
  const files: { export: string; path: string; bytes: number }[] = [];
  for (const name of start.exports) {
    const path = join(start.folder, FILES[name]);
    files.push({
      export: name,
      path,
      bytes: await writeParts(path, EXPORTERS[name]({ kept, start, steps, summary, screenshots })),
    });
  }
  return { summary, folder: start.folder, files, steps: buildScriptSteps(steps).map(describeStep) };
};

/** If the tab has no fixed viewport, uses the size in the first DOM event that has one. */
const withViewport = async (kept: KeptFiles, start: KeptStart): Promise<KeptStart> => {
  if (start.viewport) return start;
  for await (const { data } of kept.entries<DomEvent>(DOM)) {
    const { width, height } = (data ?? {}) as {
      readonly width?: unknown;
      readonly height?: unknown;
    };
    if (typeof width === 'number' && typeof height === 'number')
      return { ...start, viewport: { width, height } };
  }
  return start;
};

const FILES: Readonly<Record<Export, string>> = {
  json: 'recording.json',
  html: 'replay.html',
  playwright: 'playwright.mjs',
  puppeteer: 'puppeteer.mjs',
};

interface Material {
  readonly kept: KeptFiles;
  readonly start: KeptStart;
  readonly steps: readonly RecordedStep[];
  readonly summary: RecordingSummary;
  readonly screenshots: readonly object[];
}

type RenderedExport = AsyncIterable<string> | Iterable<string>;

const EXPORTERS: Readonly<Record<Export, (material: Material) => RenderedExport>> = {
  json: ({ kept, start, steps, summary, screenshots }) =>
    recordingJson(kept, start, { summary, steps, screenshots }),
  html: ({ kept, start, steps }) => replayHtml(kept, start, steps),
  playwright: ({ start, steps }) => [renderPlaywrightScript(start, steps)],
  puppeteer: ({ start, steps }) => [renderPuppeteerScript(start, steps)],
};

const saveScreenshots = async (
  kept: KeptFiles,
  { folder, at: from }: KeptStart,
): Promise<object[]> => {
  const out: object[] = [];
  for await (const { at, why, base64 } of kept.entries<KeptScreenshot>(SCREENSHOTS)) {
    const number = String(out.length + 1).padStart(3, '0');
    const label = why.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 30);
    const file = join('screenshots', `${number}-${label}.jpg`);
    await writeParts(join(folder, file), [Buffer.from(base64, 'base64')]);
    out.push({ at, after_ms: at - from, why, file });
  }
  return out;
};

const countLines = async (
  kept: KeptFiles,
  file: string,
): Promise<{ count: number; last: number }> => {
  let count = 0;
  let last = 0;
  for await (const { at, timestamp } of kept.entries<{ at?: number; timestamp?: number }>(file)) {
    count++;
    last = Math.max(last, at ?? timestamp ?? 0);
  }
  return { count, last };
};

const summarise = async (
  kept: KeptFiles,
  start: KeptStart,
  steps: readonly RecordedStep[],
  { code, screenshots }: { readonly code: string; readonly screenshots: number },
): Promise<RecordingSummary> => {
  const [end] = (await loadAllLines<KeptEnd>(kept, END)).slice(-1);
  const notes = await loadAllLines<KeptNote>(kept, NOTES);
  const files = [CALLS, DOM, CONSOLE, NETWORK] as const;
  const [calls, dom, messages, requests] = await Promise.all(
    files.map((file) => countLines(kept, file)),
  );
  // A killed recording has no end entry, so the last event marks its end.
  const lastSeen = Math.max(start.at, dom?.last ?? 0, ...steps.slice(-1).map(({ at }) => at));
  const places = steps.flatMap((step) =>
    'url' in step && step.kind !== 'popup' ? [step.url] : [],
  );
  return {
    url: start.url,
    final_url: end?.url ?? places.at(-1) ?? start.url,
    title: end?.title ?? start.title,
    stop_reason: end?.reason ?? code,
    started_at: new Date(start.at).toISOString(),
    duration_ms: (end?.at ?? lastSeen) - start.at,
    steps: buildScriptSteps(steps).length,
    calls: calls?.count ?? 0,
    failed_calls: (await loadAllLines<KeptCall>(kept, CALLS)).filter(
      ({ failed }) => failed !== undefined,
    ).length,
    dom_events: dom?.count ?? 0,
    console: messages?.count ?? 0,
    requests: requests?.count ?? 0,
    screenshots,
    notes: notes.map(({ note }) => note),
  };
};

async function* recordingJson(
  kept: KeptFiles,
  start: KeptStart,
  parts: {
    readonly summary: object;
    readonly steps: readonly object[];
    readonly screenshots: readonly object[];
  },
): AsyncGenerator<string> {
  const { folder: _, exports: __, version, ...facts } = start;
  yield `{"format":"openchrome-recording","format_version":1`;
  yield `,"openchrome":${JSON.stringify(version)},"start":${JSON.stringify(facts)}`;
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
