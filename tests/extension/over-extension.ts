// Setup of the suites that run over the extension: skips the tests that do not apply there.
import { beforeEach } from 'vitest';
import { EXCEPTIONS } from './exceptions.ts';

const listNames = (task: { name: string; suite?: { name: string } | undefined }): string =>
  [task.suite?.name ?? '', task.name].join(' ').trim();

beforeEach(({ task, skip }) => {
  const name = listNames(task);
  const found = EXCEPTIONS.find(({ tests }) => tests.some((end) => name.endsWith(end)));
  if (found) skip(found.reason);
});
