// Loopback hosts that may be reached are dialled by Chrome itself, which protects them from public
// pages.
import { expect, it } from 'vitest';
import { DomainPolicy, parseDomains } from '../../policy/domains.ts';
import { directHosts } from './proxy-flags.ts';

const direct = (lists: { allow?: string[]; block?: string[] }): string =>
  directHosts(
    new DomainPolicy({
      ...(lists.allow ? { allow: parseDomains(lists.allow, 'allow') } : {}),
      block: parseDomains(lists.block ?? [], 'block'),
    }),
  ).join(' ');

it.each([
  [{}, 'localhost localhost. *.localhost *.localhost. 127.0.0.0/8 [::1]'],
  [{ allow: ['*', 'dev.test'] }, 'localhost localhost. *.localhost *.localhost. 127.0.0.0/8 [::1]'],
  [{ allow: ['example.com'] }, ''],
  [{ allow: ['example.com', 'localhost:3000'] }, 'localhost:3000 *.localhost:3000'],
  [{ allow: ['127.0.0.1'] }, '127.0.0.1'],
  [{ allow: ['0.0.0.0'] }, ''],
  [{ block: ['example.com'] }, 'localhost localhost. *.localhost *.localhost. 127.0.0.0/8 [::1]'],
  [{ block: ['localhost'] }, ''],
  [{ block: ['localhost:3000'] }, ''],
  [{ block: ['127.0.0.2'] }, 'localhost localhost. *.localhost *.localhost. 127.0.0.1 [::1]'],
  [{ allow: ['localhost'], block: ['127.0.0.1'] }, ''],
])('With the lists %j Chrome dials these hosts itself: %s', (lists, expected) => {
  expect(direct(lists)).toBe(expected);
});
