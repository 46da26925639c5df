// What the scripts behind markdown, dom, css, html, inspect and validate answer. No DOM types here:
// both sides import it.

/** The element that a question is about: by CSS selector, or by the number behind its ref. */
export interface Subject {
  readonly selector?: string;
  readonly id?: number;
}

/** An element that gets a ref: its number, and what it is. */
export interface RefTarget {
  /** 0 for what needs no ref. */
  readonly id: number;
  readonly role: string;
  readonly name: string;
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
}

/** Why there is no answer about a subject. */
export interface NoSubject {
  readonly problem: 'bad_selector' | 'no_match';
  readonly title: string;
}

/**
 * An answer that may lack something: so many elements may hide a closed shadow root, which only the
 * debugger can open.
 */
export interface Suspicious {
  readonly suspects: number;
}

/**
 * Which part of the page was read: what reads like an article, the main part, all of it, or the
 * element asked for.
 */
export type MarkdownPart = 'article' | 'main' | 'page' | 'element';

export interface MarkdownAnswer {
  readonly title: string;
  readonly markdown: string;
  readonly part: MarkdownPart;
  /** Words of the page that stand outside of that part. */
  readonly wordsOutside: number;
  /** The page holds more than was read. */
  readonly truncated: boolean;
  /** Frames that cannot be looked into from here, with the line that stands for each. */
  readonly frames: readonly { readonly id: number; readonly line: string }[];
}

export interface HtmlAnswer {
  readonly title: string;
  readonly html: string;
  /** Length of the whole, where it had to be cut. */
  readonly length: number;
}

export interface InertHtml {
  readonly html: string;
  /** Length of the whole; `html` ends at `maxChars`. */
  readonly length: number;
  /** Number of elements and attributes that were left out because they are active. */
  readonly removed: number;
}

/** One line of the element tree; elements that only wrap one another share a line. */
export interface DomNode {
  /** `div.app > main#content`, with the attributes that matter. */
  readonly label: string;
  readonly text?: string;
  /** What can be acted on or expanded, and is therefore given a ref. */
  readonly target?: RefTarget;
  /** The element shows a frame, whose document belongs below it. */
  readonly frame?: true;
  /** `hidden`, `another site` … */
  readonly note?: string;
  readonly children?: readonly DomNode[];
  /** What was folded away below, in words. */
  readonly folded?: string;
}

export interface DomAnswer {
  readonly title: string;
  readonly root: DomNode;
}

export type StylePair = readonly [name: string, value: string];

/** How one element is laid out and styled. */
export interface CssElement {
  readonly label: string;
  readonly target: RefTarget;
  /** How many elements the selector matches. */
  readonly matches: number;
  /** x, y, width, height on the page. */
  readonly box: readonly [number, number, number, number];
  /** Whether it can be seen, and why not. */
  readonly visibility: string;
  readonly layout: readonly string[];
  readonly styles: readonly StylePair[];
  /** Font, colour and contrast of its text, whether set here or inherited. */
  readonly text: string;
  readonly variables: readonly StylePair[];
  /** Variables in effect that are neither set here nor used by its rules. */
  readonly otherVariables: number;
  /** Author rules that match, weakest first, with where they stand. */
  readonly rules: readonly {
    readonly selector: string;
    readonly body: string;
    readonly source: string;
  }[];
  readonly pseudo: readonly StylePair[];
  /** Style sheets of other origins, whose rules cannot be read. */
  readonly unreadableSheets: number;
}

export interface CssPage {
  readonly viewport: string;
  readonly sheets: string;
  readonly media: readonly string[];
  readonly variables: readonly StylePair[];
  readonly text: string;
  readonly fonts: readonly StylePair[];
  readonly problems: readonly string[];
  readonly layers: readonly string[];
  readonly boxes: readonly {
    readonly depth: number;
    readonly label: string;
    readonly facts: string;
  }[];
}

export type CssAnswer = { readonly title: string } & (
  | { readonly element: CssElement; readonly page?: undefined }
  | { readonly page: CssPage; readonly element?: undefined }
);

/** What a script can tell about a page or an element. */
export type InspectSection = 'focus' | 'forms' | 'headings' | 'errors' | 'panels' | 'geometry';

/** An element in a line: what it is, how it stands, what it holds. */
export interface ElementSummary extends RefTarget {
  /** What kind of field it is, where the role does not tell. */
  readonly kind?: string;
  readonly states: string;
  readonly value: string;
  /** What is said about it: the message of an invalid field, the reason why it is listed. */
  readonly note?: string;
}

export interface InspectForm {
  readonly name: string;
  readonly fields: readonly ElementSummary[];
  readonly buttons: readonly ElementSummary[];
  /** Fields beyond those listed. */
  readonly more: number;
}

export interface InspectAnswer {
  readonly title: string;
  /** The element asked about. */
  readonly element?: {
    readonly item: ElementSummary;
    readonly label: string;
    readonly matches: number;
    readonly text: string;
  };
  readonly focus?: ElementSummary | null;
  readonly forms?: readonly InspectForm[];
  readonly headings?: readonly { readonly level: number; readonly text: string }[];
  readonly errors?: readonly ElementSummary[];
  readonly panels?: readonly ElementSummary[];
  readonly geometry?: readonly string[];
  /** How much there is of everything, where nothing more special was asked. */
  readonly counts?: string;
}

/** A list of which only the first are named. */
export interface Counted {
  readonly count: number;
  readonly first: readonly string[];
}

export interface Vitals {
  readonly lcp_ms?: number;
  /** What the largest paint was of. */
  readonly lcp_element?: string;
  readonly cls?: number;
  readonly inp_ms?: number;
  readonly fcp_ms?: number;
  readonly ttfb_ms?: number;
  readonly load_ms?: number;
}

export interface ValidateAnswer {
  readonly title: string;
  readonly lang: string;
  readonly description: string;
  readonly canonical: string;
  readonly hasViewport: boolean;
  readonly noindex: boolean;
  readonly h1: readonly string[];
  readonly images: number;
  readonly brokenImages: Counted;
  readonly withoutAlt: Counted;
  readonly withoutLabel: Counted;
  readonly withoutName: Counted;
  readonly duplicateIds: Counted;
  readonly vitals: Vitals;
}
