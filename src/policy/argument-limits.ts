// Limits the depth and the number of values of a call's arguments, without recursion.

import { isObject } from '../core/json.ts';

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/** A phrase that names the exceeded limit; undefined if the arguments are within both limits. */
export const findExceededLimit = (args: unknown): string | undefined => {
  const pending: { readonly value: unknown; readonly depth: number }[] = [
    { value: args, depth: 0 },
  ];
  let values = 0;
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    const { value, depth } = entry;
    if (!isObject(value)) continue;
    if (depth >= MAX_DEPTH) return `more than ${MAX_DEPTH} levels deep`;
    const inner = Object.values(value);
    values += inner.length;
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
    for (const one of inner) pending.push({ value: one, depth: depth + 1 });
  }
  return undefined;
};
