// What the script for the page's databases is asked and answers: plain data for both sides.

/**
 * A value that JSON has no word for is written as {"$": kind, "v": text}; objects with a "$" of
 * their own are wrapped.
 */
export type Packed = unknown;

export interface SavedStore {
  readonly name: string;
  /** JSON: a path, several, or null. */
  readonly keyPath: string | readonly string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: string | readonly string[];
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }[];
  readonly records: readonly { readonly key?: Packed; readonly value: Packed }[];
}

export interface SavedDatabase {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly SavedStore[];
}

export interface DatabasesAnswer {
  readonly databases: readonly SavedDatabase[];
  /** Those that could not be read, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

export interface DatabaseNames {
  readonly indexedDB: readonly string[];
  readonly caches: readonly string[];
}
