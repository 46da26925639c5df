// Tests of protocol.ts and era.ts.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { claimsStateless, classify } from './protocol.ts';

it.each<[string, unknown, string]>([
  ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }, 'request'],
  [
    'a request with a name for an id',
    { jsonrpc: '2.0', id: '', method: 'ping', params: {} },
    'request',
  ],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 'notification'],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }, 'response'],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, 'response'],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 'invalid'],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 'invalid'],
  ['a method that is a number', { jsonrpc: '2.0', id: 1, method: 5 }, 'invalid'],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 'invalid'],
  ['a list', [], 'invalid'],
  ['nothing', null, 'invalid'],
])('knows %s', (_, value, kind) => {
  expect(classify(value).kind).toBe(kind);
});

it('answers a malformed request with its id, if it has one', () => {
  expect(classify({ id: 'a', method: 'ping' })).toEqual({ kind: 'invalid', id: 'a' });
  expect(classify({ id: [], method: 'ping' })).toEqual({ kind: 'invalid', id: null });
});

it('takes any JSON there is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      classify(value);
      claimsStateless(value);
    }),
  );
});
