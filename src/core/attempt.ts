// Runs code whose exception only means that there is no result.

/** The result of `work`, or `fallback` if it throws. */
export const attempt = <T, F = undefined>(work: () => T, fallback?: F): T | F => {
  try {
    return work();
  } catch {
    return fallback as F;
  }
};
