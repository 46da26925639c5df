// Tests of the line of a request: four columns, of which only the last may hold spaces.
import { expect, it } from 'vitest';
import { type NetworkEntry, toLine } from './network-list.ts';

const entry = (over: Partial<NetworkEntry>): NetworkEntry => ({
  key: 'GET api.test/items',
  method: 'GET',
  status: 200,
  url: 'https://api.test/items',
  ct: 'application/json',
  size: 12,
  ...over,
});

it.each<[string, Partial<NetworkEntry>]>([
  ['200 12 json GET api.test/items', {}],
  ['200 12 json GET api.test/items?', { url: 'https://api.test/items?page=2' }],
  [
    '200 12 json GET api.test/items?#2',
    { url: 'https://api.test/items?page=2', key: 'GET api.test/items#2' },
  ],
  ['200 12 json GetUser', { key: 'GetUser', url: 'https://api.test/graphql?x=1' }],
  ['200 12 json GET api.test/items', { ct: 'application/vnd.api+json' }],
  ['200 12 protobuf GET api.test/items', { ct: 'application/x-protobuf' }],
  ['204 0 - GET api.test/items', { status: 204, ct: '', size: 0 }],
  [
    '101 0 websocket GET api.test/live',
    { status: 101, ct: '', size: 0, key: 'GET api.test/live', url: 'wss://api.test/live' },
  ],
  [
    'pending 0 websocket GET api.test/live',
    {
      status: null,
      state: 'pending',
      ct: '',
      size: 0,
      key: 'GET api.test/live',
      url: 'ws://api.test/live',
    },
  ],
  ['pending 0 - GET api.test/items', { status: null, state: 'pending', ct: '', size: 0 }],
  [
    'ERR_CONNECTION_REFUSED 0 - GET api.test/items',
    { status: null, error: 'net::ERR_CONNECTION_REFUSED', ct: '', size: 0 },
  ],
  [
    'ERR_FAILED(CORSMissingAllowOriginHeader) 12 json GET api.test/items',
    { error: 'net::ERR_FAILED (CORS MissingAllowOriginHeader)' },
  ],
])('%s', (line, over) => {
  expect(toLine(entry(over))).toBe(line);
});
