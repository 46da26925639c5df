// The names of a bundle's parts and files.

/** In the order of capture: the most volatile first. */
export const PART_NAMES: readonly string[] = 'screenshot dom ax storage console cookies har'.split(
  ' ',
);

export const MANIFEST_FILE = 'manifest.json';
export const INDEX_FILE = 'index.html';
