// Runs a recording until its duration ends, it is stopped or cancelled, or the tab closes.
import { listIf } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { listOrigins } from '../../browser/tabs/shown-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { fail } from '../../core/failure.ts';
import type { Secret } from '../../store/config/secrets-file.ts';
import type { Redactor } from '../../core/redactor.ts';
import { createPayloadWriter } from '../../store/files/payload-writer.ts';
import { Deadline, every } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import type { Job } from '../tasks/kind.ts';
import { assembleRecording, type RecordingResult } from './assemble.ts';
import { END, RecordingWriter, type KeptStart, RESULT, START } from './kept-lines.ts';
import type { Export } from './recording-options.ts';
import { Recorder } from './recorder.ts';

export interface RecordingPlan {
  readonly durationMs: number | undefined;
  readonly exports: readonly Export[];
  readonly folder: string;
  readonly maxBytes: number;
}

export interface RecordingContext {
  readonly tab: Tab;
  readonly job: Job;
  readonly redactor: Redactor;
  readonly secrets: readonly Secret[];
  readonly signal: AbortSignal;
  /** Time limit; the recording then ends and keeps its entries. */
  readonly timeMs: number;
  readonly progress: (progress: {
    readonly done: number;
    readonly total?: number;
    readonly message: string;
  }) => void;
}

const PROGRESS_MS = 1000;

export const runRecording = async (
  plan: RecordingPlan,
  around: RecordingContext,
): Promise<RecordingResult> => {
  const { tab, job, secrets, signal } = around;
  // A password that was typed on one page may be sent to another, so secrets of all visited origins
  // are redacted.
  const secretOrigins = new Set(listOrigins(tab));
  const redactor = around.redactor.forOrigins(secretOrigins);
  const writer = createPayloadWriter(redactor);
  const keeper = new RecordingWriter(job, writer, plan.maxBytes);
  const start = buildStart(plan, tab);
  await job.append(START, writer.clean(start));
  const secretNames = new Map(
    secrets.flatMap(({ name, value }) => listIf(value !== '', [value, name] as const)),
  );
  let isRecording = false; // the first progress report means that recording has started
  const tell = (steps: number): void => {
    if (isRecording) around.progress(buildProgress(plan, start.at, steps));
  };
  const recorder = new Recorder({
    tab,
    keeper,
    redactor,
    secretOrigins,
    secretNames,
    onStep: tell,
  });
  using _ = every(PROGRESS_MS, () => tell(recorder.steps));
  await recorder.start();
  isRecording = true;
  tell(recorder.steps);
  const reason = await untilOver(
    plan,
    { ...around, signal: AbortSignal.any([signal, keeper.broken]) },
    job.stopRequested,
  );
  const title = await recorder.stop();
  await keeper.close();
  keeper.broken.throwIfAborted();
  await job.append(END, writer.clean({ at: Date.now(), reason, url: tab.url, title }));
  const result = await assembleRecording(job, reason);
  if (!result) throw new Error('a started recording exists');
  await job.append(RESULT, result);
  signal.throwIfAborted();
  return result;
};

const buildStart = ({ folder, exports }: RecordingPlan, tab: Tab): KeptStart =>
  defined({
    at: Date.now(),
    url: tab.url,
    title: tab.title,
    tabId: tab.id,
    viewport: tab.viewport ? { width: tab.viewport.width, height: tab.viewport.height } : undefined,
    folder,
    exports,
    version: VERSION,
  });

const buildProgress = (
  { durationMs }: RecordingPlan,
  from: number,
  steps: number,
): { done: number; total?: number; message: string } =>
  defined({
    done: Date.now() - from,
    total: durationMs,
    message: `${steps} ${steps === 1 ? 'step' : 'steps'} recorded`,
  });

/**
 * Returns the reason for the end. An aborted call also ends the recording without losing entries.
 */
const untilOver = async (
  { durationMs }: RecordingPlan,
  { tab, signal, timeMs }: RecordingContext,
  stop: AbortSignal = new AbortController().signal,
): Promise<string> => {
  const reason = durationMs !== undefined && durationMs <= timeMs ? 'duration' : 'timeout';
  using time = new Deadline(
    Math.min(durationMs ?? Infinity, timeMs),
    () => fail('timeout', 'The recording ran out of time.'),
    AbortSignal.any([signal, stop]),
  );
  if (tab.closed) return 'tab_closed';
  try {
    await tab.events.next('closed', undefined, time.signal);
    return 'tab_closed';
  } catch {
    if (!signal.aborted) return stop.aborted ? 'stopped' : reason;
    return (signal.reason as { readonly code?: string } | undefined)?.code ?? 'cancelled';
  }
};
