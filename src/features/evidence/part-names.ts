// The names of the parts of an evidence bundle, in the order in which they are captured: what
// changes soonest first.

export const PART_NAMES: readonly string[] = 'screenshot dom ax storage console cookies har'.split(
  ' ',
);
