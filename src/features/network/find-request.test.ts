// Tests of the keys that are offered for a wrong one.
import { expect, it } from 'vitest';
import { findNearestKeys } from './find-request.ts';

it('the closest key is first, and repeats are listed only on request', () => {
  const keys = ['GET api.test/users', 'GetUser', 'GetUser#2', 'ListOrders', 'POST api.test/orders'];
  expect(findNearestKeys('GetUsr', keys)[0]).toBe('GetUser');
  expect(findNearestKeys('api.test/order', keys)[0]).toBe('POST api.test/orders');
  expect(findNearestKeys('GetUsr', keys)).not.toContain('GetUser#2');
  expect(findNearestKeys('GetUser#3', keys)).toContain('GetUser#2');
});

it('ten thousand keys are looked through quickly', () => {
  const keys = Array.from(
    { length: 10_000 },
    (_, i) => `GET api.test/some/rather/long/path/of/an/api/items/${i}`,
  );
  const from = performance.now();
  expect(findNearestKeys('GET api.test/items/77', keys)).toHaveLength(20);
  expect(performance.now() - from).toBeLessThan(5000);
});
