// One definition of this machine and of the private network, in every spelling.
import { expect, it } from 'vitest';
import { isPrivateHost } from './network-address.ts';

const hostOf = (text: string): string => new URL(`http://${text}/`).hostname;

it.each([
  '127.0.0.1',
  '2130706433', // 127.0.0.1 as one number
  '0x7f.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  'localhost',
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
  '[::1]',
  '[::]',
  '[fd00::1]',
  '[fe80::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
])('%s is private', (text) => {
  expect(isPrivateHost(hostOf(text))).toBe(true);
});

it.each([
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  'example.com',
  'localhost.example.com',
  '[2606:4700::1111]',
  '[::ffff:8.8.8.8]',
])('%s is public', (text) => {
  expect(isPrivateHost(hostOf(text))).toBe(false);
});
