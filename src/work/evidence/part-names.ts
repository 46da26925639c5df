// The names of the parts of an evidence bundle, in the order in which they are captured: what changes soonest first.

export const PART_NAMES = ['screenshot', 'dom', 'ax', 'storage', 'console', 'cookies', 'har'] as const;

export type PartName = (typeof PART_NAMES)[number];
