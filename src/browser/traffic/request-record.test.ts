// Chrome's ticks in milliseconds.
import { describe, expect, it } from 'vitest';
import { toPhases, toTtfbMs } from './request-record.ts';

const NONE = {
  proxyStart: -1,
  proxyEnd: -1,
  workerStart: -1,
  workerReady: -1,
  workerFetchStart: -1,
  workerRespondWithSettled: -1,
  pushStart: 0,
  pushEnd: 0,
};
const measured = {
  ...NONE,
  requestTime: 100.01,
  dnsStart: 1,
  dnsEnd: 3,
  connectStart: 3,
  connectEnd: 13,
  sslStart: 5,
  sslEnd: 13,
  sendStart: 13,
  sendEnd: 14,
  receiveHeadersStart: 34,
  receiveHeadersEnd: 35,
};

describe('phases', () => {
  it('add up to the time to the first byte', () => {
    const phases = toPhases(measured, 100)!;
    expect(phases).toMatchObject({
      blockedMs: 11,
      dnsMs: 2,
      connectMs: 10,
      tlsMs: 8,
      sendMs: 1,
      waitMs: 20,
    });
    expect(toTtfbMs(measured, 100, 101)).toBe(44);
    expect(
      phases.blockedMs + phases.dnsMs! + phases.connectMs! + phases.sendMs + phases.waitMs,
    ).toBe(44);
  });

  it('that did not happen are left out', () => {
    const reused = {
      ...measured,
      dnsStart: -1,
      dnsEnd: -1,
      connectStart: -1,
      connectEnd: -1,
      sslStart: -1,
      sslEnd: -1,
    };
    expect(toPhases(reused, 100.01)).toEqual({
      blockedMs: 13,
      sendMs: 1,
      waitMs: 20,
      headersTick: expect.closeTo(100.045),
    });
    expect(toPhases(undefined, 100)).toBeUndefined();
    expect(toTtfbMs(undefined, 100, 100.5)).toBe(500);
  });
});
