// What the script for the page's storage is asked and answers: plain data for both sides.

export interface StorageRequest {
  readonly area: 'local' | 'session';
  /** Left out: all entries. */
  readonly key?: string;
}

export interface StorageChange extends StorageRequest {
  readonly set?: readonly (readonly [key: string, value: string])[];
  readonly remove?: readonly string[];
  readonly clear?: true;
}

export type StorageEntries = readonly (readonly [key: string, value: string])[];

/** `problem`: the page may keep nothing (a data: address, a sandbox), or there was no room. */
export type StorageAnswer =
  | { readonly entries: StorageEntries; readonly problem?: undefined }
  | { readonly problem: 'denied' | 'full'; readonly message: string };
