// Results of the scripts for markdown, dom, css, html, inspect, validate and extract. No DOM types.

/** The element to read: by CSS selector, or by the id of its ref. */
export interface Subject {
  readonly selector?: string;
  readonly id?: number;
}

/** An element that gets a ref: its id, role, name and fingerprint. */
export interface RefTarget {
  /** 0 if the element gets no ref. */
  readonly id: number;
  readonly role: string;
  readonly name: string;
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
}

/** The reason why the subject was not found. */
export interface NoSubject {
  readonly problem: 'bad_selector' | 'no_match';
  readonly title: string;
}

/** Number of elements that may host a closed shadow root, whose content is missing here. */
export interface Suspicious {
  readonly suspects: number;
}

/**
 * The part of the page that was read: an article, the main part, all of it, or the requested
 * element.
 */
export type MarkdownPart = 'article' | 'main' | 'page' | 'element';

export interface MarkdownAnswer {
  readonly title: string;
  readonly markdown: string;
  readonly part: MarkdownPart;
  /** Number of words of the page outside of that part. */
  readonly wordsOutside: number;
  /** The output was cut at its limit. */
  readonly truncated: boolean;
  /** Frames that this script cannot read, with the placeholder line of each. */
  readonly frames: readonly { readonly id: number; readonly line: string }[];
}

export interface HtmlAnswer {
  readonly title: string;
  readonly html: string;
  /** Length of the whole HTML; `html` may be cut. */
  readonly length: number;
}

export interface InertHtml {
  readonly html: string;
  /** Length of the whole HTML; `html` is cut at `maxChars`. */
  readonly length: number;
  /** Number of active elements and attributes that were removed. */
  readonly removed: number;
}

/** One line of the element tree; nested single-child wrappers share a line. */
export interface DomNode {
  /** `div.app > main#content`, with the attributes that matter. */
  readonly label: string;
  readonly text?: string;
  /** Set for elements that can be acted on or expanded. */
  readonly target?: RefTarget;
  /** The element is a frame; its document is added below it. */
  readonly frame?: true;
  /** `hidden`, `another site` … */
  readonly note?: string;
  readonly children?: readonly DomNode[];
  /** Description of the descendants that are not listed. */
  readonly folded?: string;
}

export interface DomAnswer {
  readonly title: string;
  readonly root: DomNode;
}

export type StylePair = readonly [name: string, value: string];

/** Layout and style of one element. */
export interface CssElement {
  readonly label: string;
  readonly target: RefTarget;
  /** Number of elements that the selector matches. */
  readonly matches: number;
  /** x, y, width, height on the page. */
  readonly box: readonly [number, number, number, number];
  /** Whether the element is visible, or the reason why it is not. */
  readonly visibility: string;
  readonly layout: readonly string[];
  readonly styles: readonly StylePair[];
  /** Font, colour and contrast of its text, set here or inherited. */
  readonly text: string;
  readonly variables: readonly StylePair[];
  /** Number of variables in effect that are neither set here nor used by its rules. */
  readonly otherVariables: number;
  /** Matching author rules and their sources, weakest first. */
  readonly rules: readonly {
    readonly selector: string;
    readonly body: string;
    readonly source: string;
  }[];
  readonly pseudo: readonly StylePair[];
  /** Number of style sheets of other origins, whose rules cannot be read. */
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

/** Sections of an inspection that a page script can read. */
export type InspectSection = 'focus' | 'forms' | 'headings' | 'errors' | 'panels' | 'geometry';

/** An element in one line: role, name, states and value. */
export interface ElementSummary extends RefTarget {
  /** The input type, if the role does not imply it. */
  readonly kind?: string;
  readonly states: string;
  readonly value: string;
  /** The validation message of a field, or the reason why the element is listed. */
  readonly note?: string;
}

export interface InspectForm {
  readonly name: string;
  readonly fields: readonly ElementSummary[];
  readonly buttons: readonly ElementSummary[];
  /** Number of fields beyond those listed. */
  readonly more: number;
}

export interface ElementFactAnswer {
  readonly title: string;
  /** Null if the element has no value, or not this attribute. */
  readonly fact: string | null;
}

export interface InspectAnswer {
  readonly title: string;
  /** The requested element. */
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
  /** Number of elements of each kind, if no section was requested. */
  readonly counts?: string;
}

/** A list that is cut after its first entries. */
export interface Counted {
  readonly count: number;
  readonly first: readonly string[];
}

export interface Vitals {
  readonly lcp_ms?: number;
  /** The element of the largest contentful paint. */
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

/** A piece of content with all names that the page gives it. */
export interface Leaf {
  /** Equal for the same position in every item of a group. */
  readonly key: string;
  /** Class names, attribute values and labels, nearest first. */
  readonly names: readonly string[];
  readonly kind: 'text' | 'heading' | 'link' | 'image' | 'time' | 'data';
  readonly text: string;
  /** The URL of a link or image. */
  readonly url?: string;
  /** The datetime attribute. */
  readonly when?: string;
}

export interface Cell {
  readonly text: string;
  readonly url?: string;
}

export interface Table {
  readonly caption: string;
  readonly headers: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A name with its value, as in a definition list. */
export interface NamedValue extends Cell {
  readonly name: string;
  /** The markup that the pair was read from. */
  readonly from: 'dl' | 'table' | 'label';
}

/** Elements with the same structure. */
export interface RecordGroup {
  /** `ul.results > li.result` */
  readonly label: string;
  readonly items: readonly (readonly Leaf[])[];
}

export interface ExtractAnswer {
  readonly title: string;
  readonly url: string;
  /** Objects in JSON-LD, unchanged. */
  readonly jsonLd: readonly unknown[];
  /** Objects in microdata and RDFa, in the same shape. */
  readonly microdata: readonly unknown[];
  readonly meta: Readonly<Record<string, string>>;
  readonly tables: readonly Table[];
  readonly pairs: readonly NamedValue[];
  readonly groups: readonly RecordGroup[];
  /** The whole scope as one item. */
  readonly whole: readonly Leaf[];
  /** The page contains more than was read. */
  readonly truncated: boolean;
}
