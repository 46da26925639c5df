// Runs code, and returns a fallback if it throws.

/** The result of `work`, or `fallback` if it throws. */
export const attempt = <T, F = undefined>(work: () => T, fallback?: F): T | F => {
  try {
    return work();
  } catch {
    return fallback as F;
  }
};
