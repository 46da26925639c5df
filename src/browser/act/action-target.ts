// What an action points at, in the words of the caller.

/** Exactly one of them. */
export type ActionTarget =
  | { readonly ref: string }
  /** CSS; must match one visible element of the page or of a frame. */
  | { readonly selector: string }
  /** Words of its name, label, placeholder or text; "Save button" names the role too. */
  | { readonly query: string };

export const describeTarget = (target: ActionTarget): string => {
  if ('ref' in target) return target.ref;
  return JSON.stringify(
    'selector' in target ? target.selector.slice(0, 200) : target.query.slice(0, 200),
  );
};
