// Rejects a call whose arguments exceed the limits of depth and number.
import { fail } from '../core/failure.ts';
import type { Step } from './call.ts';

export const limits: Step = async ({ exceededLimit, request }, next) => {
  if (exceededLimit !== undefined)
    throw fail(
      'invalid_argument',
      `The arguments of ${request.name.slice(0, 100)} are ${exceededLimit}.`,
      {
        hint: 'Send fewer or flatter values, or split the work into several calls.',
      },
    );
  await next();
};
