// Parameters and results of the IndexedDB page script: plain data for both sides.

/**
 * A value that JSON cannot represent is written as {"$": kind, "v": text}; objects that have a "$"
 * key are wrapped.
 */
export type Packed = unknown;

export interface SavedStore {
  readonly name: string;
  /** As in IndexedDB: one path, several, or null. */
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
  /** Databases that could not be read, with the reason. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

export interface DatabaseNames {
  readonly indexedDB: readonly string[];
  readonly caches: readonly string[];
}
