// Medians and ratios of measured numbers.
export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** The value that this share of the values does not exceed. */
export const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];

/**
 * The order of one repetition: rotated, so that nobody is always first or always after the same
 * one.
 */
export const rotated = (items, by) => items.map((_, i) => items[(i + by) % items.length]);

/** How long it took, in milliseconds. */
export const clock = async (work) => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/**
 * The times of several ways, interleaved, in another order each time; rounds to warm up are not
 * kept. `before` is not counted.
 */
export const interleaved = async (ways, reps, { warmUps = 1, before } = {}) => {
  const names = Object.keys(ways);
  const took = Object.fromEntries(names.map((name) => [name, []]));
  for (let rep = -warmUps; rep < reps; rep++)
    for (const name of rotated(names, rep + warmUps)) {
      await before?.(name);
      const spent = await clock(() => ways[name](rep));
      if (rep >= 0) took[name].push(spent);
    }
  return took;
};

export const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const times = (value) => `${value.toFixed(2)} x`;
export const mib = (bytes) => `${Math.round(bytes / 1024 / 1024)} MiB`;
export const percent = (share) => `${(share * 100).toFixed(share === 1 ? 0 : 1)} %`;
