// Tests of gate.ts.
import { expect, it } from 'vitest';
import { Failure } from '../../../core/failure.ts';
import { createGate, isLoopback } from './gate.ts';

const gate = (options: Partial<Parameters<typeof createGate>[0]> = {}) =>
  createGate({ host: '127.0.0.1', token: undefined, allowHost: [], allowOrigin: [], ...options });

const verdict = (check: () => void): string => {
  try {
    check();
    return 'admitted';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
};

it.each(['localhost', '127.0.0.1', '127.8.9.1', '::1'])('takes %s for this machine', (host) =>
  expect(isLoopback(host)).toBe(true),
);
it.each(['0.0.0.0', '::', '192.168.1.2', '127.0.0.1.example', 'example'])(
  'takes %s for elsewhere',
  (host) => expect(isLoopback(host)).toBe(false),
);

it('does not open to others without a token', () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.2', 'example.com']) {
    expect(
      verdict(() => gate({ host })),
      host,
    ).toBe('invalid_argument');
    expect(
      verdict(() => gate({ host, token: 'a-token-of-sufficient-length' })),
      host,
    ).toBe('admitted');
  }
});

it.each([
  ['the address it listens on', '192.168.1.2', '192.168.1.2', '192.168.1.2:99', 'admitted'],
  [
    'the address that a connection to any address came in on',
    '0.0.0.0',
    '192.168.1.2',
    '192.168.1.2:99',
    'admitted',
  ],
  [
    'that address behind a dual-stack socket',
    '::',
    '::ffff:192.168.1.2',
    '192.168.1.2:99',
    'admitted',
  ],
  ['another address', '0.0.0.0', '192.168.1.2', '192.168.1.3:99', 'forbidden_host'],
  ['any address', '0.0.0.0', '192.168.1.2', '0.0.0.0:99', 'forbidden_host'],
  ['a name', '192.168.1.2', '192.168.1.2', 'rebound.example:99', 'forbidden_host'],
  ['no host', '127.0.0.1', '127.0.0.1', undefined, 'forbidden_host'],
  ['a path in the host', '127.0.0.1', '127.0.0.1', 'localhost/x', 'forbidden_host'],
])('judges %s', (_, host, localAddress, header, expected) => {
  const door = gate({ host, token: 'a-token-of-sufficient-length' });
  const headers = header === undefined ? {} : { host: header };
  expect(verdict(() => door.checkSource({ headers, localAddress }))).toBe(expected);
});

it('an allowed host with a port allows only that port', () => {
  const door = gate({ allowHost: ['Box.internal:8080'] });
  expect(
    verdict(() =>
      door.checkSource({ headers: { host: 'box.internal:8080' }, localAddress: undefined }),
    ),
  ).toBe('admitted');
  expect(
    verdict(() =>
      door.checkSource({ headers: { host: 'box.internal:9090' }, localAddress: undefined }),
    ),
  ).toBe('forbidden_host');
});

it('understands an allowed origin with a slash at its end', () => {
  const door = gate({ allowOrigin: ['https://App.example/'] });
  const headers = { host: 'localhost', origin: 'https://app.example' };
  expect(verdict(() => door.checkSource({ headers, localAddress: undefined }))).toBe('admitted');
  expect(door.trustedOrigin(headers)).toBe('https://app.example');
});
