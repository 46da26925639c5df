// Parameters and results of the page-state script: plain data for both sides.

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
