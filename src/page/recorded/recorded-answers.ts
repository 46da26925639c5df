// The facts by which a recorded element is found again, and the result of the search. No DOM types.

/** Only the role and the name are required. Facts that are absent are not compared. */
export interface RecordedElement {
  readonly role: string;
  readonly name: string;
  readonly testId?: string;
  /** Attributes (id, name, href …) whose value no other element of the role had. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The other words of the same row, card or list item. */
  readonly row?: string;
  /** The heading, dialogs and landmarks around it, innermost first. */
  readonly within?: readonly string[];
  /** The names of the neighbouring elements of the role, in document order, with its own. */
  readonly order?: readonly string[];
}

export type RecordedAnswer =
  | {
      readonly problem?: undefined;
      /** The id part of a ref. */
      readonly id: number;
      /** The fact by which the element was found and the fact that changed, as a sentence part. */
      readonly healed?: string;
    }
  | {
      /** `moved`: the name belongs to an element that has not the other recorded facts. */
      readonly problem: 'not_found' | 'ambiguous' | 'moved';
      readonly detail: string;
    };
