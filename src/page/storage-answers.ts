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
