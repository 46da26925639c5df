// Summarises a trace: how busy the main thread was, with which work, and what blocked it. Pure.
import { addCount, listIf } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';

/** An event of Chrome's trace format; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

export type Activity = 'script' | 'layout' | 'paint' | 'parse' | 'other';

export interface LongTask {
  /** Since the navigation, or since the start of the recording. */
  readonly atMs: number;
  readonly durationMs: number;
  /** The script with the largest share. */
  readonly script?: string;
}

export interface ForcedLayout {
  readonly count: number;
  readonly durationMs: number;
  readonly script?: string;
}

export interface TraceSummary {
  readonly recordedMs: number;
  readonly busyMs: number;
  readonly byActivity: Readonly<Record<Activity, number>>;
  readonly longTasks: {
    readonly count: number;
    readonly blockingMs: number;
    readonly longest: readonly LongTask[];
  };
  readonly scripts: readonly { readonly url: string; readonly durationMs: number }[];
  readonly forcedLayouts?: ForcedLayout;
  /** Requests that blocked the first paint. */
  readonly renderBlocking: readonly { readonly url: string; readonly durationMs?: number }[];
  readonly lcpImage?: {
    readonly url: string;
    readonly requestedAtMs?: number;
    readonly loadedAtMs?: number;
  };
}

const LONG_TASK_US = 50_000;
const MAX_NAMED = 5;

const ACTIVITIES: Readonly<Record<string, Activity>> = {
  EvaluateScript: 'script',
  FunctionCall: 'script',
  'v8.compile': 'script',
  'v8.compileModule': 'script',
  'v8.evaluateModule': 'script',
  'V8.GC_MARK_COMPACTOR': 'script',
  MajorGC: 'script',
  MinorGC: 'script',
  TimerFire: 'script',
  EventDispatch: 'script',
  RunMicrotasks: 'script',
  FireAnimationFrame: 'script',
  FireIdleCallback: 'script',
  XHRReadyStateChange: 'script',
  XHRLoad: 'script',
  UpdateLayoutTree: 'layout',
  RecalcStyle: 'layout',
  Layout: 'layout',
  HitTest: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  PaintImage: 'paint',
  Layerize: 'paint',
  Commit: 'paint',
  CompositeLayers: 'paint',
  'Decode Image': 'paint',
  ParseHTML: 'parse',
  ParseAuthorStyleSheet: 'parse',
};

const SCRIPT_ENTRIES = new Set(['EvaluateScript', 'FunctionCall', 'v8.evaluateModule']);
const LAYOUTS = new Set(['UpdateLayoutTree', 'Layout']);

type TraceData = Readonly<Record<string, unknown>>;

const readData = ({ args }: TraceEvent): TraceData =>
  (args?.['data'] ?? args?.['beginData'] ?? {}) as TraceData;
const textIn = (data: TraceData, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
const toMs = (microseconds: number): number => Math.round(microseconds / 1000);

/**
 * The summary of the process that renders the frame; undefined if the trace does not contain it.
 */
export const summariseTrace = (
  events: readonly TraceEvent[],
  frameId: string,
): TraceSummary | undefined => {
  const pid = findProcess(events, frameId);
  const thread = events.find(
    ({ name, pid: of, args }) =>
      name === 'thread_name' && of === pid && args?.['name'] === 'CrRendererMain',
  );
  if (pid === undefined || !thread) return undefined;
  const times = events.filter(({ ts }) => ts > 0);
  const first = times.reduce((least, { ts }) => Math.min(least, ts), Infinity);
  const last = times.reduce((most, { ts, dur = 0 }) => Math.max(most, ts + dur), 0);
  const zero = navigationStart(events, frameId) ?? first;
  const spans = events
    .filter((event) => event.ph === 'X' && event.pid === pid && event.tid === thread.tid)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  return {
    recordedMs: toMs(last - first),
    ...summariseThread(spans, zero),
    ...summariseRequests(events, pid, zero),
  };
};

/** The frames that an event assigns to a process. */
const listFrames = (event: TraceEvent): readonly TraceData[] => {
  const data = readData(event);
  if (event.name === 'TracingStartedInBrowser') return (data['frames'] ?? []) as TraceData[];
  return listIf(event.name === 'FrameCommittedInBrowser', data);
};

/** The last process that rendered the frame: a navigation can change it. */
const findProcess = (events: readonly TraceEvent[], frameId: string): number | undefined => {
  let found: { pid: number; ts: number } | undefined;
  for (const event of events) {
    const pid = listFrames(event).find(({ frame }) => frame === frameId)?.['processId'];
    if (typeof pid === 'number' && (!found || event.ts >= found.ts)) found = { pid, ts: event.ts };
  }
  return found?.pid;
};

const navigationStart = (events: readonly TraceEvent[], frameId: string): number | undefined => {
  const starts = events.filter(
    ({ name, args }) => name === 'navigationStart' && args?.['frame'] === frameId,
  );
  return starts.length === 0 ? undefined : Math.max(...starts.map(({ ts }) => ts));
};

/** A span that has not ended yet. */
interface OpenEvent {
  readonly event: TraceEvent;
  readonly end: number;
  inner: number;
  /** The outermost script that contains it, or itself. */
  readonly script: string | undefined;
  readonly inScript: boolean;
}

type ThreadSummary = Pick<
  TraceSummary,
  'busyMs' | 'byActivity' | 'longTasks' | 'scripts' | 'forcedLayouts'
>;

/** Walks over the spans in order, with the open ones on a stack. */
const summariseThread = (spans: readonly TraceEvent[], zero: number): ThreadSummary => {
  const tally = new ThreadTally(zero);
  const stack: OpenEvent[] = [];
  const closeUntil = (ts: number): void => {
    for (let top = stack.at(-1); top && top.end <= ts; top = stack.at(-1)) {
      stack.pop();
      tally.close(top);
    }
  };
  for (const event of spans) {
    closeUntil(event.ts);
    const parent = stack.at(-1);
    const enters = SCRIPT_ENTRIES.has(event.name);
    const url = enters ? textIn(readData(event), 'url') : undefined;
    const open = {
      event,
      end: event.ts + (event.dur ?? 0),
      inner: 0,
      script: parent?.script ?? url,
      inScript: parent?.inScript === true || enters,
    };
    if (parent) parent.inner += event.dur ?? 0;
    tally.enter(open, parent);
    stack.push(open);
  }
  closeUntil(Infinity);
  return tally.summary();
};

class ThreadTally {
  readonly #zero: number;
  readonly #byActivity: Record<Activity, number> = {
    script: 0,
    layout: 0,
    paint: 0,
    parse: 0,
    other: 0,
  };
  readonly #scripts = new Map<string, number>();
  readonly #forced = new Map<string, { count: number; duration: number }>();
  readonly #long: LongTask[] = [];
  #blocking = 0;
  #inTask = new Map<string, number>();

  constructor(zero: number) {
    this.#zero = zero;
  }

  enter({ event, script }: OpenEvent, parent: OpenEvent | undefined): void {
    const { name, dur = 0 } = event;
    if (!parent) this.#inTask = new Map();
    if (script !== undefined && parent?.script === undefined) {
      addCount(this.#scripts, script, dur);
      addCount(this.#inTask, script, dur);
    }
    if (!LAYOUTS.has(name) || parent?.inScript !== true) return;
    const forced = this.#forced.get(script ?? '') ?? { count: 0, duration: 0 };
    this.#forced.set(script ?? '', { count: forced.count + 1, duration: forced.duration + dur });
  }

  close({ event, inner }: OpenEvent): void {
    const { name, dur = 0, ts } = event;
    this.#byActivity[ACTIVITIES[name] ?? 'other'] += Math.max(0, dur - inner);
    if (name !== 'RunTask' || dur <= LONG_TASK_US) return;
    this.#blocking += dur - LONG_TASK_US;
    const [script] = [...this.#inTask].sort(([, a], [, b]) => b - a)[0] ?? [];
    this.#long.push(defined({ atMs: toMs(ts - this.#zero), durationMs: toMs(dur), script }));
  }

  summary(): ThreadSummary {
    const byActivity = Object.fromEntries(
      Object.entries(this.#byActivity).map(([name, us]) => [name, toMs(us)]),
    ) as Record<Activity, number>;
    const scripts = [...this.#scripts]
      .map(([url, us]) => ({ url, durationMs: toMs(us) }))
      .filter(({ durationMs }) => durationMs > 0);
    return {
      busyMs: toMs(Object.values(this.#byActivity).reduce((sum, us) => sum + us, 0)),
      byActivity,
      longTasks: {
        count: this.#long.length,
        blockingMs: toMs(this.#blocking),
        longest: this.#long.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, MAX_NAMED),
      },
      scripts: scripts.sort((a, b) => b.durationMs - a.durationMs).slice(0, MAX_NAMED),
      ...this.#forcedLayouts(),
    };
  }

  #forcedLayouts(): { forcedLayouts?: ForcedLayout } {
    const all = [...this.#forced];
    if (all.length === 0) return {};
    const [worst] = all.toSorted(([, a], [, b]) => b.duration - a.duration);
    const count = all.reduce((sum, [, forced]) => sum + forced.count, 0);
    const durationMs = toMs(all.reduce((sum, [, forced]) => sum + forced.duration, 0));
    return {
      forcedLayouts: defined({ count, durationMs, script: worst?.[0] ? worst[0] : undefined }),
    };
  }
}

interface Loaded {
  readonly url: string;
  readonly sentAt: number;
  readonly blocking: boolean;
  finishedAt?: number;
}

const summariseRequests = (
  events: readonly TraceEvent[],
  pid: number,
  zero: number,
): Pick<TraceSummary, 'renderBlocking' | 'lcpImage'> => {
  const requests = requestsIn(events, pid, zero);
  const renderBlocking = [...requests.values()]
    .filter(({ blocking }) => blocking)
    .map(({ url, sentAt, finishedAt }) =>
      defined({
        url,
        durationMs: ifDefined(finishedAt, (finishedAt) => toMs(finishedAt - sentAt)),
      }),
    );
  const largest = events.findLast(
    ({ name, ts, pid: of }) => name === 'LargestImagePaint::Candidate' && of === pid && ts >= zero,
  );
  const url = ifDefined(largest, (largest) => textIn(readData(largest), 'imageUrl'));
  if (url === undefined) return { renderBlocking };
  const request = [...requests.values()].find((candidate) => candidate.url === url);
  return {
    renderBlocking,
    lcpImage: defined({
      url,
      requestedAtMs: ifDefined(request, (request) => toMs(request.sentAt - zero)),
      loadedAtMs: request?.finishedAt === undefined ? undefined : toMs(request.finishedAt - zero),
    }),
  };
};

const requestsIn = (
  events: readonly TraceEvent[],
  pid: number,
  zero: number,
): Map<string, Loaded> => {
  const requests = new Map<string, Loaded>();
  for (const event of events) {
    if (event.pid !== pid || event.ts < zero) continue;
    const data = readData(event);
    const id = textIn(data, 'requestId') ?? '';
    const url = textIn(data, 'url');
    if (event.name === 'ResourceSendRequest' && url !== undefined)
      requests.set(id, { url, sentAt: event.ts, blocking: data['renderBlocking'] === 'blocking' });
    const known = requests.get(id);
    if (event.name === 'ResourceFinish' && known) known.finishedAt = event.ts;
  }
  return requests;
};
