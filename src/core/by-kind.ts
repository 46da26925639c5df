// Calls the function for the kind of a value.

/** One function per kind, each with the type of its kind. */
export type ByKind<V extends { readonly kind: string }, A extends unknown[], R> = {
  readonly [K in V['kind']]: (value: Extract<V, { readonly kind: K }>, ...rest: A) => R;
};

export const callByKind = <V extends { readonly kind: string }, A extends unknown[], R>(
  functions: ByKind<V, A, R>,
  value: V,
  ...rest: A
): R => {
  const call = functions[value.kind as V['kind']] as (value: V, ...rest: A) => R;
  return call(value, ...rest);
};
