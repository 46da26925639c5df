// Puts a recording together from what was kept, and writes its exports: the same for one that ended, was cancelled or was killed.
import { join } from 'node:path';
import { writeParts } from '../../store/recordings.ts';
import type { KeptFiles } from '../../store/working-files.ts';
import { replayHtml } from './html.ts';
import { recordingJson } from './json.ts';
import {
  allOf,
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
  type KeptStep,
  NETWORK,
  NOTES,
  RESULT,
  SCREENSHOTS,
  START,
  STEPS,
} from './kept.ts';
import type { Export } from './options.ts';
import { playwrightScript } from './playwright.ts';
import { puppeteerScript } from './puppeteer.ts';
import { describeStep, scriptSteps } from './script-steps.ts';

export interface RecordingSummary {
  readonly url: string;
  readonly final_url: string;
  readonly title: string;
  readonly stop_reason: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly steps: number;
  readonly calls: number;
  /** Calls that ended with an error; the replay shows them among the steps. */
  readonly failed_calls: number;
  readonly dom_events: number;
  readonly console: number;
  readonly requests: number;
  readonly screenshots: number;
  /** What is missing, and why. */
  readonly notes: readonly string[];
}

export interface RecordingResult {
  readonly summary: RecordingSummary;
  readonly folder: string;
  readonly files: readonly { readonly export: string; readonly path: string; readonly bytes: number }[];
  /** What was done, a line each. */
  readonly steps: readonly string[];
}

/** Nothing where it had not even begun. */
export const assembleRecording = async (kept: KeptFiles, code: string): Promise<RecordingResult | undefined> => {
  const [made] = await allOf<RecordingResult>(kept, RESULT);
  if (made) return made;
  const [begun] = await allOf<KeptStart>(kept, START);
  if (!begun) return undefined;
  const start = await withViewport(kept, begun);
  const steps = await allOf<KeptStep>(kept, STEPS);
  const screenshots = await saveScreenshots(kept, start);
  const summary = await summarise(kept, start, steps, { code, screenshots: screenshots.length });
  const files: { export: string; path: string; bytes: number }[] = [];
  for (const name of start.exports) {
    const path = join(start.folder, FILES[name]);
    files.push({ export: name, path, bytes: await writeParts(path, contentOf(name, { kept, start, steps, summary, screenshots })) });
  }
  return { summary, folder: start.folder, files, steps: scriptSteps(steps).map(describeStep) };
};

/** Where the window decides the size of the page, the page itself has told it. */
const withViewport = async (kept: KeptFiles, start: KeptStart): Promise<KeptStart> => {
  if (start.viewport) return start;
  for await (const { data } of kept.entries<DomEvent>(DOM)) {
    const { width, height } = (data ?? {}) as { readonly width?: unknown; readonly height?: unknown };
    if (typeof width === 'number' && typeof height === 'number') return { ...start, viewport: { width, height } };
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
  readonly steps: readonly KeptStep[];
  readonly summary: RecordingSummary;
  readonly screenshots: readonly object[];
}

const contentOf = (name: Export, { kept, start, steps, summary, screenshots }: Material): AsyncIterable<string> | Iterable<string> => {
  switch (name) {
    case 'json':
      return recordingJson(kept, start, { summary, steps, screenshots });
    case 'html':
      return replayHtml(kept, start, steps);
    case 'playwright':
      return [playwrightScript(start, steps)];
    case 'puppeteer':
      return [puppeteerScript(start, steps)];
    default:
      return name satisfies never;
  }
};

const saveScreenshots = async (kept: KeptFiles, { folder, at: from }: KeptStart): Promise<object[]> => {
  const out: object[] = [];
  for await (const { at, why, base64 } of kept.entries<KeptScreenshot>(SCREENSHOTS)) {
    const file = join('screenshots', `${String(out.length + 1).padStart(3, '0')}-${why.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 30)}.jpg`);
    await writeParts(join(folder, file), [Buffer.from(base64, 'base64')]);
    out.push({ at, after_ms: at - from, why, file });
  }
  return out;
};

const countOf = async (kept: KeptFiles, file: string): Promise<{ count: number; last: number }> => {
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
  steps: readonly KeptStep[],
  { code, screenshots }: { readonly code: string; readonly screenshots: number },
): Promise<RecordingSummary> => {
  const [end] = (await allOf<KeptEnd>(kept, END)).slice(-1);
  const notes = await allOf<KeptNote>(kept, NOTES);
  const files = [CALLS, DOM, CONSOLE, NETWORK] as const;
  const [calls, dom, messages, requests] = await Promise.all(files.map((file) => countOf(kept, file)));
  // A recording that was killed ends with the last thing that it had seen.
  const lastSeen = Math.max(start.at, dom?.last ?? 0, ...steps.slice(-1).map(({ at }) => at));
  const places = steps.flatMap((step) => ('url' in step && step.kind !== 'popup' ? [step.url] : []));
  return {
    url: start.url,
    final_url: end?.url ?? places.at(-1) ?? start.url,
    title: end?.title ?? start.title,
    stop_reason: end?.reason ?? code,
    started_at: new Date(start.at).toISOString(),
    duration_ms: (end?.at ?? lastSeen) - start.at,
    steps: scriptSteps(steps).length,
    calls: calls?.count ?? 0,
    failed_calls: (await allOf<KeptCall>(kept, CALLS)).filter(({ failed }) => failed !== undefined).length,
    dom_events: dom?.count ?? 0,
    console: messages?.count ?? 0,
    requests: requests?.count ?? 0,
    screenshots,
    notes: notes.map(({ note }) => note),
  };
};
