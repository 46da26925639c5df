// What the script for a page's passing state is asked and answers: plain data for both sides.

/**
 * Where an element stands: one selector for each tree on the way, from the document through shadow
 * roots; none means the page itself.
 */
export type ElementPath = readonly string[];

export interface SavedField {
  readonly at: ElementPath;
  /** Tag, and for an input its type. */
  readonly kind: string;
  /**
   * The name attribute, and the value attribute of what is only on or off: to know the field when
   * the page has moved it.
   */
  readonly name: string;
  readonly option?: string | undefined;
  /** In the words of the page, for reports. */
  readonly label: string;
  readonly value?: string | undefined;
  readonly checked?: boolean | undefined;
  /** Values of the chosen options. */
  readonly chosen?: readonly string[] | undefined;
  /** Names of files that were given; no page can be given them again without the user. */
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
  /** Password fields that hold something: how many, never what. */
  readonly passwords: number;
  /** Fields beyond the bound. */
  readonly more: number;
}

export interface RestoreRequest {
  readonly fields: readonly SavedField[];
  readonly scrolls: readonly SavedScroll[];
  /** How long what is missing may take to come up. */
  readonly patienceMs: number;
}

/**
 * `missing`: no such field. `refused`: no field for texts from a file (a password). `changed`: the
 * page made something else of it.
 */
export type FieldProblem = 'missing' | 'refused' | 'changed' | 'file';

export interface RestoreAnswer {
  readonly fields: number;
  readonly scrolls: number;
  readonly problems: readonly { readonly label: string; readonly why: FieldProblem }[];
  /** Scroll positions that the page is too short for now. */
  readonly unreached: number;
}
