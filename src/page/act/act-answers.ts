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
export interface ActedElement {
  readonly id: number;
  readonly document: string;
  readonly role: string;
  readonly name: string;
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
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
  /** It may stay out of view. */
  readonly anywhere?: true;
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
  | 'untouchable'
  | 'moving'
  | 'outside'
  | 'no_option'
  | 'no_state';

export interface Problem {
  readonly problem: ProblemKind;
  readonly element?: ActedElement;
  /** What lies over it, gets the clicks that it does not take, or makes it inert. */
  readonly cover?: ActedElement;
  readonly candidates?: readonly ActedElement[];
  readonly total?: number;
  readonly detail?: string;
  /** The kind of element that was looked for. */
  readonly wanted?: Purpose;
  /** What there is to choose from. */
  readonly options?: readonly string[];
}

/** What fits in one frame, and how well. */
export interface LocatedElements {
  readonly problem?: undefined;
  readonly rank: number;
  readonly total: number;
  readonly elements: readonly ActedElement[];
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
  readonly element: ActedElement;
  /** In the viewport of its frame. */
  readonly point: Point;
  /** Its form field kind, for the actions that fill. */
  readonly field: FieldKind;
  /** The page had to be scrolled to bring it into view. */
  readonly scrolled: boolean;
  readonly checked?: boolean;
  /** What it holds is nobody's to see. */
  readonly secret?: true;
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

/** A point inside of a frame, seen from the page around it; or what lies over the frame there. */
export type ThroughFrame =
  | { readonly problem?: undefined; readonly point: Point; readonly scrolled: boolean }
  | Problem;

/** What the element is for: it narrows down what words may mean. */
export type Purpose = 'any' | 'field' | 'check' | 'file';

export interface PrepareOptions {
  readonly needs: Needs;
  readonly purpose: Purpose;
  /** How long a target that cannot be acted on yet is given. */
  readonly patienceMs: number;
  /** Wait until the target keeps its place for a frame, because it was seen to move. */
  readonly still?: boolean;
  /** Go on with this watch instead of beginning one. */
  readonly within?: number;
  /** Tell afterwards all that the target holds. */
  readonly reads?: boolean;
  /**
   * Put the focus there as the last thing before typing: with everything selected, or with the
   * caret at the end.
   */
  readonly select?: 'all' | 'end' | 'focus';
}

/**
 * How a watched page is waited for: a frame and a task without change; a task, and more only after
 * a change; a beat without change after an answer that showed in the page already, and a frame
 * where it has not; any change; not at all.
 */
export type Settling = 'frame' | 'task' | 'shown' | 'answer' | 'stir' | 'none';

/**
 * Everything that a field holds, to be compared with what was wanted; an option is its label and,
 * after a NUL, its value.
 */
export type FieldValue = string | boolean | readonly string[];

/** A watch on the element that has the focus, where there is one. */
export interface WatchedFocus {
  readonly watch: number;
  readonly element?: ActedElement;
  /** The element shows another document, in which the keys arrive. */
  readonly frame?: true;
  /** A password field: what is typed there must not be shown. */
  readonly secret?: true;
}

/** What was seen in a frame since its watch was armed. */
export interface Seen {
  /** The watch is not there any more: the document was replaced. */
  readonly lost?: true;
  /** When it was looked, in milliseconds of a clock that all frames share. */
  readonly at: number;
  readonly changes: number;
  /** Texts of alerts, status lines and other live regions that changed. */
  readonly announcements: readonly Announcement[];
  /** Fields that the browser refused to submit, with its message. */
  readonly invalid: readonly { readonly element: ActedElement; readonly message: string }[];
  /** Where the focus is now, if it moved. */
  readonly focus?: ActedElement;
  /** The focus moved to the target itself. */
  readonly focused?: true;
  /** The target has the focus, or something in it has. */
  readonly hasFocus?: true;
  /** States that the target gained or lost, in words. */
  readonly states?: readonly string[];
  /** What the target shows now, if that changed or was asked for. */
  readonly value?: string;
  /** All that the target holds, where that was asked for and it is still there. */
  readonly held?: FieldValue;
  readonly checked?: boolean;
  /** What the press hit instead; it was kept from the page. */
  readonly missed?: ActedElement;
  /** The target reacted to the pointer at all. */
  readonly pressed?: true;
  readonly scrolledTo?: Point;
  /** What was put onto the clipboard. */
  readonly copied?: string;
}

export interface Announcement {
  /** alert, status, log, dialog … */
  readonly role: string;
  readonly text: string;
}

/** Where something is scrolled to, and how far it goes. */
export interface Scrolled extends Point {
  readonly maxX: number;
  readonly maxY: number;
  readonly width: number;
  readonly height: number;
}

/** What choosing options came to. */
export interface Chosen {
  readonly missing?: readonly string[];
  readonly available?: readonly string[];
}

/** An option of a list made of other elements; or what there is to choose from. */
export interface FoundOption {
  readonly id?: number;
  readonly available: readonly string[];
}

export interface PageCondition {
  readonly text?: string;
  readonly selector?: string;
  /** Wait for it to go. */
  readonly gone?: boolean;
}

export type Waited = 'met' | 'not_yet' | 'bad_selector';

/** One field of a form, and what it is to hold. */
export interface FormItem {
  readonly spec: Spec;
  readonly texts: readonly string[];
  /** What that means for something that is on or off. */
  readonly state?: boolean;
}

/** The form goes on in the page until a field needs real input; then it stops here. */
export interface FormStop {
  readonly state: 'input';
  readonly item: number;
  readonly how: 'text' | 'lines' | 'press' | 'choice' | 'range' | 'files';
  readonly id: number;
  readonly field: FieldKind;
  readonly texts: readonly string[];
  readonly secret?: true;
  /** Where to press, in the viewport of the frame. */
  readonly point?: Point;
}

export interface FormEnd {
  readonly state: 'done';
  readonly results: readonly FormResult[];
  /** The button that submits the form in which the last field stands. */
  readonly submit?: ActedElement;
}

/** What became of one field. */
export interface FormResult {
  readonly problem?: Problem;
  readonly element?: ActedElement;
  readonly field?: FieldKind;
  /** What it was to be: choices of a group become states of its members. */
  readonly state?: boolean;
  /** What it was to hold, as such a field writes it. */
  readonly written?: string;
  readonly held?: FieldValue;
  readonly secret?: true;
}

/** What lies at a point. */
export interface AtPoint {
  readonly watch: number;
  /** Of the viewport. */
  readonly width: number;
  readonly height: number;
  readonly met?: ActedElement;
  /** The nearest element that a person would act on. */
  readonly near?: ActedElement;
  /** Whether what was met is that element or in it. */
  readonly inside?: boolean;
  /** What was met shows another document: where in it the point lies. */
  readonly inner?: Point;
}
