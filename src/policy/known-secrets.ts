// Tables of known secrets: from the secrets file, learned later, and reported by pages.
import { MIN_CHARS_IN_TEXT, SecretSearch } from './secret-search.ts';
import { HIDDEN } from './secret-values.ts';

/** A password may be an ordinary word, so a shorter learned value is not hidden inside text. */
const MIN_LEARNED_CHARS = 8;
const MAX_LEARNED = 1000;
/** Sites reject older one-time codes, and hiding them could hide ordinary numbers. */
const MAX_CODES = 20;
/** Values that pages of one origin reported; only the newest are kept. */
const MAX_PER_ORIGIN = 50;
const MAX_ORIGINS = 200;
/** An unusual value that a page reported is hidden on all sites from this length on. */
const MIN_UNUSUAL_CHARS = 12;

/** Secrets from the secrets file, and secrets that were learned later. */
export class KnownSecrets {
  readonly #whole = new Set<string>();
  readonly #learned = new Set<string>();
  /** Secrets that are also hidden inside longer text; the others only as a whole value. */
  #inText: readonly string[] = [];
  /** One-time codes in `#inText`, the oldest first. */
  readonly #codes: string[] = [];
  #search: SecretSearch | undefined;

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  /** Adds a secret that became known later: the text of a password field. */
  learn(secret: string, max = MAX_LEARNED): void {
    if (secret === '' || this.#whole.has(secret) || this.#learned.has(secret)) return;
    if (this.#learned.size >= max) return;
    this.#learned.add(secret);
    if (isNoWord(secret)) this.add(secret);
  }

  /** Adds a secret that is also hidden inside text. */
  add(secret: string): void {
    if (secret === '') return;
    this.#whole.add(secret);
    if (secret.length < MIN_CHARS_IN_TEXT) return;
    this.#searchFor([...this.#inText, secret]);
  }

  /** Adds a one-time code, which is also hidden inside text; only the newest codes are kept. */
  addCode(code: string): void {
    if (this.#whole.has(code)) return;
    this.add(code);
    this.#codes.push(code);
    if (this.#codes.length > MAX_CODES) this.#remove(this.#codes.shift() ?? '');
  }

  #remove(secret: string): void {
    this.#whole.delete(secret);
    this.#searchFor(this.#inText.filter((other) => other !== secret));
  }

  #searchFor(secrets: readonly string[]): void {
    this.#inText = secrets;
    this.#search = undefined;
  }

  /** Whether the whole value is a secret. A learned value counts only under `value` and `text`. */
  isWhole(value: string, name: string): boolean {
    return (
      this.#whole.has(value) || (this.#learned.has(value) && (name === 'value' || name === 'text'))
    );
  }

  /** The secrets that `hideIn` searches for. */
  get inText(): readonly string[] {
    return this.#inText;
  }

  hideIn(text: string): string {
    if (this.#inText.length === 0) return text;
    this.#search ??= new SecretSearch(this.#inText);
    return hideFound(text, this.#search);
  }
}

export const hideFound = (text: string, search: SecretSearch): string => {
  const found = search.find(text);
  if (found.length === 0) return text;
  const kept = found.map(([from], i) => text.slice(found[i - 1]?.[1] ?? 0, from));
  return [...kept, text.slice(found.at(-1)?.[1])].join(HIDDEN);
};

/**
 * Values that pages reported, by origin, so that a page can neither hide text of other sites nor
 * fill the table.
 */
export class PageSecrets {
  /** Ordered by the last report of each origin; the values of an origin by age. */
  readonly #values = new Map<string, Set<string>>();
  readonly #tables = new Map<string, KnownSecrets>();
  #unusual: KnownSecrets | undefined;

  learn(origin: string, secret: string): void {
    if (secret === '') return;
    const values = this.#values.get(origin) ?? new Set<string>();
    values.delete(secret);
    values.add(secret);
    dropOldest(values, MAX_PER_ORIGIN);
    this.#values.delete(origin);
    this.#values.set(origin, values);
    dropOldest(this.#values, MAX_ORIGINS);
    this.#tables.clear();
    this.#unusual = undefined;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The values of these origins, and the unusual values of all origins. */
  tables(origins: Iterable<string>): KnownSecrets[] {
    if (this.#values.size === 0) return [];
    const bound = [...new Set(origins)].flatMap((origin) => this.#table(origin) ?? []);
    return [this.#unusualTable(), ...bound];
  }

  #table(origin: string): KnownSecrets | undefined {
    const values = this.#values.get(origin);
    if (!values) return undefined;
    const known = this.#tables.get(origin) ?? buildTable(values);
    this.#tables.set(origin, known);
    return known;
  }

  #unusualTable(): KnownSecrets {
    return (this.#unusual ??= buildTable(
      [...this.#values.values()].flatMap((values) => [...values].filter(isUnusual)),
    ));
  }
}

const buildTable = (values: Iterable<string>): KnownSecrets => {
  const known = new KnownSecrets([]);
  for (const value of values) known.learn(value, Infinity);
  return known;
};

const dropOldest = <K>(entries: Set<K> | Map<K, unknown>, max: number): void => {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
};

/** Whether a value looks like a strong password that other text does not contain by chance. */
const isUnusual = (secret: string): boolean =>
  secret.length >= MIN_UNUSUAL_CHARS &&
  /\d/.test(secret) &&
  /[a-z]/i.test(secret) &&
  !/\s/.test(secret);

const isNoWord = (secret: string): boolean =>
  secret.length >= MIN_LEARNED_CHARS && !/^[a-z]+$/i.test(secret);
