// Chrome's two clocks and relative ticks, turned into milliseconds that a reader can add up.
import type { Protocol } from 'devtools-protocol';
import { defined } from '../../core/defined.ts';

/** Where the time of a request went; a phase that did not happen is left out. */
export interface Phases {
  /** Waiting in the browser before anything was done. */
  readonly blockedMs: number;
  readonly dnsMs?: number;
  /** Includes TLS. */
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly sendMs: number;
  /** From the last byte sent to the first byte of the answer. */
  readonly waitMs: number;
  /** When the answer's headers were in, in Chrome's monotonic seconds; the rest is receiving. */
  readonly headersTick: number;
}

/** Milliseconds between two moments of Chrome's monotonic clock, never negative. */
export const ticksToMs = (from: number, to: number): number =>
  round(Math.max(0, (to - from) * 1000));

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const span = (start: number, end: number): number | undefined =>
  start >= 0 && end >= start ? round(end - start) : undefined;

/**
 * The phases of a request that began at `startTick`; undefined where Chrome measured none (memory
 * cache, data).
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
 * Time to first byte, from the request's start: measured where Chrome did, else when the response
 * was reported.
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
