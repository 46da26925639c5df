// Arguments and results of the page functions that act on elements. No DOM types.

/** Identifies the target element of an action. Exactly one field is set, apart from `fingerprint`. */
export interface Spec {
  /** The id part of a ref. */
  readonly id?: number;
  /** With `id`: the fingerprint of the element when its ref was shown. */
  readonly fingerprint?: string;
  readonly selector?: string;
  readonly query?: string;
  /** A form field by its label (accessible name) or by its name attribute. */
  readonly label?: string;
  readonly name?: string;
  /** The element that has the focus. */
  readonly focused?: true;
}

/** Summary of an element; `id` and `document` form its ref. */
export interface ActedElement {
  readonly id: number;
  readonly document: string;
  readonly role: string;
  readonly name: string;
  readonly fingerprint: string;
  /** Other text in the same row, card or list item. */
  readonly beside: string;
}

/** Conditions that the target must meet before the action starts. */
export interface Needs {
  /** The action uses the pointer, so the target must be hit at the pointer's position. */
  readonly pointer?: true;
  readonly enabled?: true;
  /** The action types text into the target. */
  readonly editable?: true;
  /** The target may be hidden (a file input, the focused element). */
  readonly hidden?: true;
  /** The target need not be scrolled into view. */
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
  /** The element that covers the target, receives its clicks, or makes it inert. */
  readonly cover?: ActedElement;
  readonly candidates?: readonly ActedElement[];
  readonly total?: number;
  readonly detail?: string;
  /** The purpose that the search was limited to. */
  readonly wanted?: Purpose;
  /** Labels of the available options. */
  readonly options?: readonly string[];
}

/** The elements of one frame that match, with the rank of the best match. */
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

/** The target is ready for the action, and its watch has started. */
export interface Ready {
  readonly problem?: undefined;
  /** Id of the watch. */
  readonly watch: number;
  readonly element: ActedElement;
  /** Relative to the viewport of the target's frame. */
  readonly point: Point;
  /** The kind of form field, for actions that fill in fields. */
  readonly field: FieldKind;
  /** The page was scrolled to make the target visible. */
  readonly scrolled: boolean;
  readonly checked?: boolean;
  /** The target is a password field: its value must not appear in any output. */
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

/** A point of a frame in coordinates of the parent page, or the element that covers it there. */
export type ThroughFrame =
  | { readonly problem?: undefined; readonly point: Point; readonly scrolled: boolean }
  | Problem;

/** Limits which elements a text query may match. */
export type Purpose = 'any' | 'field' | 'check' | 'file';

export interface PrepareOptions {
  readonly needs: Needs;
  readonly purpose: Purpose;
  /** How long to wait for the target to become usable. */
  readonly patienceMs: number;
  /** Wait until the target does not move for one frame. Set after a moving target was seen. */
  readonly still?: boolean;
  /** Id of an existing watch to use instead of a new one. */
  readonly within?: number;
  /** Include the target's complete value (`held`) in the result. */
  readonly reads?: boolean;
  /** Focus the target just before typing: select all its content, or move the caret to the end. */
  readonly select?: 'all' | 'end' | 'focus';
}

/**
 * How to wait. frame: a frame whose scripts change nothing. task: one task, then as `frame` if the
 * DOM changed. shown: timers without a change. answer: as `shown`, or as `frame` if the response
 * changed nothing. stir: any change.
 */
export type Settling = 'frame' | 'task' | 'shown' | 'answer' | 'stir';

/** Complete value of a field. A select option is its label, a NUL, and its value. */
export type FieldValue = string | boolean | readonly string[];

/** A watch on the focused element, if there is one. */
export interface WatchedFocus {
  readonly watch: number;
  readonly element?: ActedElement;
  /** The element is an iframe; key events go to its document. */
  readonly frame?: true;
  /** A password field: its value must not appear in any output. */
  readonly secret?: true;
}

/** The effects observed in a frame since its watch started. */
export interface ObservedEffects {
  /** The watch no longer exists because the document was replaced. */
  readonly lost?: true;
  /** Time of the observation, in milliseconds since the Unix epoch (comparable across frames). */
  readonly at: number;
  readonly changes: number;
  /** Text of alerts, status messages and other live regions that changed. */
  readonly announcements: readonly Announcement[];
  /** Fields that failed the browser's form validation, with its message. */
  readonly invalid: readonly { readonly element: ActedElement; readonly message: string }[];
  /** The newly focused element, if it is not the target. */
  readonly focus?: ActedElement;
  /** The focus moved to the target, and the target is a text field. */
  readonly focused?: true;
  /** The target or a descendant has the focus. */
  readonly hasFocus?: true;
  /** States that changed on the target, for example `checked` or `not expanded`. */
  readonly states?: readonly string[];
  /** The target's displayed value, if it changed or if `reads` was set. */
  readonly value?: string;
  /** The target's complete value, if `reads` was set and the target is still in the document. */
  readonly held?: FieldValue;
  readonly checked?: boolean;
  /** The element that the press hit instead. The page did not receive the event. */
  readonly missed?: ActedElement;
  /** The pointer press hit the target. */
  readonly pressed?: true;
  readonly scrolledTo?: Point;
  /** Text that was copied or cut. */
  readonly copied?: string;
}

export interface Announcement {
  /** alert, status, log, dialog … */
  readonly role: string;
  readonly text: string;
}

/** Scroll position, maximum scroll position and visible size of a scroll container. */
export interface Scrolled extends Point {
  readonly maxX: number;
  readonly maxY: number;
  readonly width: number;
  readonly height: number;
}

/** Result of selecting options: `missing` is set if an option does not exist. */
export interface Chosen {
  readonly missing?: readonly string[];
  readonly available?: readonly string[];
}

/** The id of the matching option, if any, and the labels of all options. */
export interface FoundOption {
  readonly id?: number;
  readonly available: readonly string[];
}

export interface PageCondition {
  readonly text?: string;
  readonly selector?: string;
  /** Wait until it disappears. */
  readonly gone?: boolean;
}

export type Waited = 'met' | 'not_yet' | 'bad_selector';

/** One form field and the value to set. */
export interface FormItem {
  readonly spec: Spec;
  readonly texts: readonly string[];
  /** The value as a boolean, for checkboxes and switches. */
  readonly state?: boolean;
  /** The value contains a secret, so it is sent only after its field has the focus. */
  readonly alone?: true;
}

/** A text of a form that may be sent before the texts before it were handled. */
export interface FormText {
  readonly item: number;
  readonly text: string;
}

/**
 * Filling pauses here because this field needs real input events. `none`: this field and the
 * following ones did not get the texts that were sent at once.
 */
export interface FormStop {
  readonly state: 'input';
  readonly item: number;
  readonly how: 'text' | 'lines' | 'press' | 'choice' | 'range' | 'files' | 'none';
  readonly id: number;
  readonly field: FieldKind;
  readonly texts: readonly string[];
  readonly secret?: true;
  /** The point to press, relative to the viewport of the frame. */
  readonly point?: Point;
  /** The texts that may be sent together with this one. */
  readonly following?: readonly FormText[];
}

export interface FormEnd {
  readonly state: 'done';
  readonly results: readonly FormResult[];
  /** The submit button of the last field's form. */
  readonly submit?: ActedElement;
}

/** Result for one field. */
export interface FormResult {
  readonly problem?: Problem;
  readonly element?: ActedElement;
  readonly field?: FieldKind;
  /** The requested checked state. For a group, the state of the last member that was set. */
  readonly state?: boolean;
  /** The requested value in the format that the field stores. */
  readonly written?: string;
  readonly held?: FieldValue;
  readonly secret?: true;
}

/** The element at a point. */
export interface AtPoint {
  readonly watch: number;
  /** Size of the viewport. */
  readonly width: number;
  readonly height: number;
  readonly met?: ActedElement;
  /** The nearest element that can be clicked or typed into. */
  readonly near?: ActedElement;
  /** Whether `met` is `near` or a descendant of it. */
  readonly inside?: boolean;
  /** `met` is an iframe: the point in coordinates of its document. */
  readonly inner?: Point;
}
