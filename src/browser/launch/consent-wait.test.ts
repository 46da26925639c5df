// How long a call waits for the user's answer, and what happens to the connection attempt.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Failure } from '../../core/failure.ts';
import type { Transport } from '../cdp/connection.ts';
import { ConsentWait } from './consent-wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('fails with consent_needed within 5 s, names the button, and keeps one attempt', async () => {
  const transport: Transport = { send: () => {}, close: () => {} };
  let allow: ((transport: Transport) => void) | undefined;
  const open = vi.fn(() => new Promise<Transport>((resolve) => (allow = resolve)));
  const consent = new ConsentWait();
  const { signal } = new AbortController();
  const connect = () => consent.connect('ws://127.0.0.1:1/a', open, signal);

  const failures = [connect(), connect(), connect()].map((one) =>
    one.then(
      () => undefined,
      (error: Failure) => error.toJSON().error,
    ),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  for (const failure of failures)
    expect(await failure).toMatchObject({
      code: 'consent_needed',
      hint: expect.stringContaining('press Allow') as string,
    });

  const waiting = connect();
  allow?.(transport);
  expect(await waiting).toBe(transport);
  expect(open).toHaveBeenCalledTimes(1);
});
