// Tests of trace-summary.ts.
import { describe, expect, it } from 'vitest';
import { summariseTrace, type TraceEvent } from './trace-summary.ts';

const MAIN = { pid: 7, tid: 1 };
const span = (name: string, atMs: number, ms: number, data: object = {}): TraceEvent => ({
  ...MAIN,
  name,
  ph: 'X',
  ts: 1_000_000 + atMs * 1000,
  dur: ms * 1000,
  args: { data },
});
const mark = (
  name: string,
  atMs: number,
  args: Record<string, unknown>,
  of = MAIN,
): TraceEvent => ({
  ...of,
  name,
  ph: 'I',
  ts: 1_000_000 + atMs * 1000,
  args,
});

const BASE: TraceEvent[] = [
  { ...MAIN, name: 'thread_name', ph: 'M', ts: 0, args: { name: 'CrRendererMain' } },
  mark(
    'TracingStartedInBrowser',
    0,
    { data: { frames: [{ frame: 'F', processId: 3 }] } },
    { pid: 1, tid: 1 },
  ),
  mark('FrameCommittedInBrowser', 1, { data: { frame: 'F', processId: 7 } }, { pid: 1, tid: 1 }),
  mark('navigationStart', 0, { frame: 'F' }),
];

describe('summariseTrace', () => {
  it('attributes every moment to the innermost activity', () => {
    const summary = summariseTrace(
      [
        ...BASE,
        span('RunTask', 10, 100),
        span('EvaluateScript', 20, 60, { url: 'http://a/x.js' }),
        span('Layout', 30, 20),
      ],
      'F',
    );
    expect(summary).toMatchObject({
      busyMs: 100,
      byActivity: { script: 40, layout: 20, other: 40, paint: 0, parse: 0 },
      longTasks: {
        count: 1,
        blockingMs: 50,
        longest: [{ atMs: 10, durationMs: 100, script: 'http://a/x.js' }],
      },
      scripts: [{ url: 'http://a/x.js', durationMs: 60 }],
      forcedLayouts: { count: 1, durationMs: 20, script: 'http://a/x.js' },
    });
  });

  it('counts a script that calls another one once, under the outer one', () => {
    const events = [
      span('EvaluateScript', 0, 50, { url: 'http://a/outer.js' }),
      span('FunctionCall', 10, 30, { url: 'http://a/inner.js' }),
    ];
    expect(summariseTrace([...BASE, ...events], 'F')?.scripts).toEqual([
      { url: 'http://a/outer.js', durationMs: 50 },
    ]);
  });

  it('a layout that no script caused is not forced', () => {
    expect(
      summariseTrace([...BASE, span('RunTask', 0, 30), span('Layout', 5, 10)], 'F'),
    ).not.toHaveProperty('forcedLayouts');
  });

  it("names the requests that block the first paint, and the start of the largest image's request", () => {
    const request = (
      id: string,
      url: string,
      at: number,
      end: number,
      renderBlocking?: string,
    ): TraceEvent[] => [
      mark('ResourceSendRequest', at, { data: { requestId: id, url, renderBlocking } }),
      mark('ResourceFinish', end, { data: { requestId: id } }),
    ];
    const image = mark('LargestImagePaint::Candidate', 90, {
      data: { imageUrl: 'http://a/i.png' },
    });
    const events = [
      ...request('1', 'http://a/s.css', 5, 45, 'blocking'),
      ...request('2', 'http://a/i.png', 50, 80),
      image,
    ];
    expect(summariseTrace([...BASE, ...events], 'F')).toMatchObject({
      renderBlocking: [{ url: 'http://a/s.css', durationMs: 40 }],
      lcpImage: { url: 'http://a/i.png', requestedAtMs: 50, loadedAtMs: 80 },
    });
  });

  it('returns nothing about a frame that is not in the trace', () => {
    expect(summariseTrace(BASE, 'other')).toBeUndefined();
    expect(summariseTrace([], 'F')).toBeUndefined();
  });
});
