// Tests of node-version.ts.
import { expect, it } from 'vitest';
import { type Examination, nodeVersionCheck } from './installation.ts';

it.each([
  ['18.20.0', 'fail'],
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['21.7.0', 'fail'],
  ['22.11.0', 'fail'],
  ['22.12.0', 'ok'],
  ['23.9.0', 'fail'],
  ['24.0.0', 'ok'],
  ['26.1.0', 'ok'],
])('Node %s is %s', async (version, status) => {
  expect(await nodeVersionCheck(version).run({} as Examination)).toMatchObject({ status });
});
