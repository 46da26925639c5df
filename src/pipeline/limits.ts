// Rejects a call whose arguments exceed the limits of depth and number.
import { fail } from '../core/failure.ts';
import type { Call, Step } from './call.ts';

export const limits: Step<Call, Call> = async (call, next) => {
  const { exceededLimit, request } = call;
  if (exceededLimit !== undefined)
    throw fail(
      'invalid_argument',
      `The arguments of ${request.name.slice(0, 100)} are ${exceededLimit}.`,
      {
        hint: 'Send fewer or flatter values, or split the work into several calls.',
      },
    );
  return next(call);
};
