// Converts Chrome's monotonic timestamps to milliseconds.
import type { Protocol } from 'devtools-protocol';
import { defined } from '../../core/defined.ts';

/** The phases of a request; a phase that did not happen is undefined. */
export interface Phases {
  /** Time in the browser before the request started. */
  readonly blockedMs: number;
  readonly dnsMs?: number;
  /** Includes TLS. */
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly sendMs: number;
  /** From the last byte sent to the first byte received. */
  readonly waitMs: number;
  /** When the response headers arrived, in Chrome's monotonic seconds. */
  readonly headersTick: number;
}

/** Milliseconds between two times of Chrome's monotonic clock, never negative. */
export const ticksToMs = (from: number, to: number): number =>
  round(Math.max(0, (to - from) * 1000));

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const span = (start: number, end: number): number | undefined =>
  start >= 0 && end >= start ? round(end - start) : undefined;

/**
 * The phases of a request that started at `startTick`; undefined if Chrome has no timing (memory
 * cache, data: URLs).
 */
export const toPhases = (
  timing: Protocol.Network.ResourceTiming | undefined,
  startTick: number,
): Phases | undefined => {
  if (!timing || timing.sendStart < 0) return undefined;
  const firstWork =
    [timing.dnsStart, timing.connectStart, timing.sendStart].find((tick) => tick >= 0) ?? 0;
  const dnsMs = span(timing.dnsStart, timing.dnsEnd);
  const connectMs = span(timing.connectStart, timing.connectEnd);
  const tlsMs = span(timing.sslStart, timing.sslEnd);
  return defined({
    blockedMs: round(Math.max(0, (timing.requestTime - startTick) * 1000 + firstWork)),
    dnsMs,
    connectMs,
    tlsMs,
    sendMs: span(timing.sendStart, timing.sendEnd) ?? 0,
    waitMs: span(timing.sendEnd, firstByte(timing)) ?? 0,
    headersTick: timing.requestTime + timing.receiveHeadersEnd / 1000,
  });
};

/**
 * Time to first byte from the start of the request: Chrome's timing, else the time of the response
 * event.
 */
export const toTtfbMs = (
  timing: Protocol.Network.ResourceTiming | undefined,
  startTick: number,
  responseTick: number,
): number =>
  timing && firstByte(timing) >= 0
    ? round(Math.max(0, (timing.requestTime - startTick) * 1000 + firstByte(timing)))
    : ticksToMs(startTick, responseTick);

const firstByte = (timing: Protocol.Network.ResourceTiming): number =>
  timing.receiveHeadersStart > 0 ? timing.receiveHeadersStart : timing.receiveHeadersEnd;
