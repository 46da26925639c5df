// The target of an action as the caller names it.

/** Has exactly one of the three properties. */
export type ActionTarget =
  | { readonly ref: string }
  /** A CSS selector that must match one visible element of the page or of a frame. */
  | { readonly selector: string }
  /** Words of its name, label, placeholder or text; "Save button" also names the role. */
  | { readonly query: string };

export const describeTarget = (target: ActionTarget): string => {
  if ('ref' in target) return target.ref;
  return JSON.stringify(
    'selector' in target ? target.selector.slice(0, 200) : target.query.slice(0, 200),
  );
};
