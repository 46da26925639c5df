// Result of the extraction script, before fields are selected. No DOM types: used by both sides.

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
