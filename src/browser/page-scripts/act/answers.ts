// What the acting page-scripts are asked and answer: plain data for both sides. No DOM types here.

/** The element that an action is about. Exactly one of them is given. */
export interface Spec {
  /** The number behind a ref. */
  readonly id?: number;
  readonly selector?: string;
  readonly query?: string;
  /** A form field by its label (accessible name) or by its name attribute. */
  readonly label?: string;
  readonly name?: string;
  /** Where the focus is. */
  readonly focused?: true;
}

/** An element in few words; `id` and `document` make its ref. */
export interface Described {
  readonly id: number;
  readonly document: string;
  readonly role: string;
  readonly name: string;
}

/** What an action asks of its target before it begins. */
export interface Needs {
  /** It will be pressed or pointed at: it must lie under the pointer. */
  readonly pointer?: true;
  readonly enabled?: true;
  /** Text will be put into it. */
  readonly editable?: true;
  /** An element that is not shown will do (a file input, the focus). */
  readonly hidden?: true;
}

export type ProblemKind =
  | 'not_found'
  | 'bad_selector'
  | 'ambiguous'
  | 'stale'
  | 'hidden'
  | 'disabled'
  | 'not_editable'
  | 'covered'
  | 'moving'
  | 'outside'
  | 'not_possible';

export interface Problem {
  readonly problem: ProblemKind;
  readonly element?: Described;
  /** What lies over it, or what was near where nothing was found. */
  readonly cover?: Described;
  readonly candidates?: readonly Described[];
  readonly total?: number;
  readonly detail?: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The target can be acted on now; its observers are armed. */
export interface Ready {
  readonly problem?: undefined;
  /** Names the watch that was armed. */
  readonly watch: number;
  readonly element: Described;
  /** In the viewport of its frame. */
  readonly point: Point;
  /** Its form field kind, for the actions that fill. */
  readonly field: FieldKind;
  /** The page had to be scrolled to bring it into view. */
  readonly scrolled: boolean;
  /** Checked, or what it holds. */
  readonly checked?: boolean;
}

export type FieldKind =
  | 'text'
  | 'number'
  | 'date'
  | 'time'
  | 'datetime-local'
  | 'month'
  | 'week'
  | 'range'
  | 'color'
  | 'checkbox'
  | 'radio'
  | 'file'
  | 'select'
  | 'multiselect'
  | 'editor'
  | 'aria-check'
  | 'aria-choice'
  | 'aria-range'
  | 'none';

/** What was seen in a frame since its watch was armed. */
export interface Seen {
  /** The watch is not there any more: the document was replaced. */
  readonly lost?: true;
  readonly changes: number;
  /** Texts of alerts, status lines and other live regions that changed. */
  readonly announcements: readonly Announcement[];
  /** Fields that the browser refused to submit, with its message. */
  readonly invalid: readonly { readonly element: Described; readonly message: string }[];
  /** Where the focus is now, if it moved. */
  readonly focus?: Described;
  /** The focus moved to the target itself. */
  readonly focused?: true;
  /** States that the target gained or lost, in words. */
  readonly states?: readonly string[];
  /** What the target holds now, if that changed. */
  readonly value?: string;
  /** What the press hit instead; it was kept from the page. */
  readonly missed?: Described;
  /** The target reacted to the pointer at all. */
  readonly pressed?: true;
  readonly scrolledTo?: Point;
}

export interface Announcement {
  /** alert, status, log, dialog … */
  readonly role: string;
  readonly text: string;
}
