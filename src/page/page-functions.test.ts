// Compile-time checks of the entry files; `npm run types` reports an unused directive.
import { expect, it } from 'vitest';
import { implement } from './page-functions.ts';

const read = (): never => {
  throw new Error('Not called.');
};

it('does not compile with functions that differ from their declaration', () => {
  const entries = [
    () => implement('vitals', { read: () => ({}) }),
    // @ts-expect-error a missing function
    () => implement('vitals', {}),
    // @ts-expect-error a function that is not declared
    () => implement('vitals', { read: () => ({}), readAll: () => ({}) }),
    // @ts-expect-error a missing parameter
    () => implement('css', { read: () => read() }),
    // @ts-expect-error a parameter of another type
    () => implement('css', { read: (_selector: string) => read() }),
    // @ts-expect-error a result of another type
    () => implement('validate', { read: async () => '' }),
  ];
  expect(entries).toHaveLength(6);
});
