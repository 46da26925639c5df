// Parameters and results of the scripts for page state, IndexedDB and web storage. No DOM types.
/** One selector per tree, from the document through the shadow roots; empty for the page itself. */
export type ElementPath = readonly string[];

export interface SavedField {
  readonly at: ElementPath;
  /** The tag, and for an input its type. */
  readonly kind: string;
  /**
   * The name attribute, and `option`: the value attribute of a check box or radio button. They
   * identify the field if the page has moved it.
   */
  readonly name: string;
  readonly option?: string | undefined;
  /** The label that the page shows, for reports. */
  readonly label: string;
  readonly value?: string | undefined;
  readonly checked?: boolean | undefined;
  /** Values of the selected options. */
  readonly chosen?: readonly string[] | undefined;
  /** Names of the selected files; a page cannot set them again without the user. */
  readonly files?: readonly string[] | undefined;
}

export interface SavedScroll {
  readonly at: ElementPath;
  readonly x: number;
  readonly y: number;
}

export interface PageState {
  readonly fields: readonly SavedField[];
  readonly scrolls: readonly SavedScroll[];
  /** Number of password fields that are filled in; their values are not saved. */
  readonly passwords: number;
  /** Number of fields that were left out because of the limits. */
  readonly more: number;
}

export interface RestoreRequest {
  readonly fields: readonly SavedField[];
  readonly scrolls: readonly SavedScroll[];
  /** How long to wait for missing fields to appear. */
  readonly patienceMs: number;
}

/**
 * `missing`: the field was not found. `refused`: it is a password field. `changed`: the page
 * changed the value afterwards.
 */
export type FieldProblem = 'missing' | 'refused' | 'changed' | 'file';

export interface RestoreAnswer {
  readonly fields: number;
  readonly scrolls: number;
  readonly problems: readonly { readonly label: string; readonly why: FieldProblem }[];
  /** Number of scroll positions that the page is too short for. */
  readonly unreached: number;
}

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

// Parameters and results of the web storage page script: plain data for both sides.

export interface StorageRequest {
  readonly area: 'local' | 'session';
  /** All entries if omitted. */
  readonly key?: string;
}

export interface StorageChange extends StorageRequest {
  readonly set?: readonly (readonly [key: string, value: string])[];
  readonly remove?: readonly string[];
  readonly clear?: true;
}

export type StorageEntries = readonly (readonly [key: string, value: string])[];

/** `denied`: the page has no storage (data: URL, sandbox). `full`: the quota is exceeded. */
export type StorageAnswer =
  | { readonly entries: StorageEntries; readonly problem?: undefined }
  | { readonly problem: 'denied' | 'full'; readonly message: string };
