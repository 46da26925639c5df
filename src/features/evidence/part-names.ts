// The names of a bundle's parts in the order of capture: the most volatile first.

export const PART_NAMES: readonly string[] = 'screenshot dom ax storage console cookies har'.split(
  ' ',
);
