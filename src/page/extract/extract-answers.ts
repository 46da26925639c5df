// What the page says for extraction, before anybody asked for fields. No DOM types here: both sides
// import it.

/** A piece of content, with every name that the page gives to it. */
export interface Leaf {
  /** The same place in every item of a group has the same key. */
  readonly key: string;
  /** Class names, attribute names, labels: the nearest first. */
  readonly names: readonly string[];
  readonly kind: 'text' | 'heading' | 'link' | 'image' | 'time' | 'data';
  readonly text: string;
  /** Where a link leads, or where a picture is. */
  readonly url?: string;
  /** The time that a machine may read. */
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
  /** `dl`, `table`, `label`. */
  readonly from: 'dl' | 'table' | 'label';
}

/** Elements that are built alike. */
export interface RecordGroup {
  /** `ul.results > li.result` */
  readonly label: string;
  readonly items: readonly (readonly Leaf[])[];
}

export interface ExtractAnswer {
  readonly title: string;
  readonly url: string;
  /** Objects in JSON-LD, as they stand. */
  readonly jsonLd: readonly unknown[];
  /** Objects in microdata and RDFa, in the same shape. */
  readonly microdata: readonly unknown[];
  readonly meta: Readonly<Record<string, string>>;
  readonly tables: readonly Table[];
  readonly pairs: readonly NamedValue[];
  readonly groups: readonly RecordGroup[];
  /** The whole place as one item. */
  readonly whole: readonly Leaf[];
  /** The page holds more than was looked at. */
  readonly truncated: boolean;
}
