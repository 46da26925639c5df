// Removes known secrets, and values that look like secrets, from all output.
import type { Redactor } from '../core/redactor.ts';
import { isSecretName } from './secret-names.ts';
import { MIN_CHARS_IN_TEXT, SecretSearch } from './secret-search.ts';
import { HIDDEN, hideSecrets } from './secret-values.ts';
import { isBlob, isPlain, mapChanged } from './walk.ts';

/** A password may be an ordinary word, so a shorter learned value is not hidden inside text. */
const MIN_LEARNED_CHARS = 8;
const MAX_LEARNED = 1000;
/** Values that pages of one origin reported; only the newest are kept. */
const MAX_PER_ORIGIN = 50;
const MAX_ORIGINS = 200;
/** An unusual value that a page reported is hidden on all sites from this length on. */
const MIN_UNUSUAL_CHARS = 12;
/** All token formats are longer, so a name up to this length is searched for known secrets only. */
const SHORT_NAME_CHARS = 19;

export const createRedactor = (secrets: readonly string[] = []): Redactor => {
  const own = new KnownSecrets(secrets);
  const fromPages = new PageSecrets();
  const forOrigins = (origins: Iterable<string>): Redactor => {
    const tables = (): KnownSecrets[] => [own, ...fromPages.tables(origins)];
    return {
      ...createRules({
        isWhole: (value, name) => tables().some((table) => table.isWhole(value, name)),
        hideIn: (text) => tables().reduce((hidden, table) => table.hideIn(hidden), text),
      }),
      learn: (secret) => own.learn(secret),
      learnFromPage: (origin, secret) => fromPages.learn(origin, secret),
      forOrigins,
    };
  };
  return forOrigins([]);
};

type SecretTable = Pick<KnownSecrets, 'isWhole' | 'hideIn'>;

const createRules = (told: SecretTable): Pick<Redactor, 'text' | 'data'> => {
  const text = (input: string): string => hideSecrets(told.hideIn(input));

  const data = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') {
      if (told.isWhole(value, name)) return HIDDEN;
      return isBlob(value) ? told.hideIn(value) : text(value);
    }
    if (Array.isArray(value)) return mapChanged(value, (item) => data(item));
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    return object(value as Record<string, unknown>);
  };

  const object = (members: Record<string, unknown>): Record<string, unknown> => {
    const hideValue = holdsSecretValue(members);
    let changed: Record<string, unknown> | undefined;
    for (const key of Object.keys(members)) {
      const value = members[key];
      const secret = hideValue && key === 'value' ? hidden(value) : hiddenByName(key, value);
      const next = secret === undefined ? data(value, key) : secret;
      const name = key.length > SHORT_NAME_CHARS ? text(key) : told.hideIn(key);
      if (next === value && name === key) continue;
      changed ??= { ...members };
      if (name !== key) delete changed[key];
      changed[name] = next;
    }
    return changed ?? members;
  };

  return { text, data: ((value: unknown) => data(value)) as <T>(value: T) => T };
};

/** The replacement of a value under a secret name. Strings are hidden, also in arrays. */
const hiddenByName = (name: string, value: unknown): unknown => {
  if (typeof value === 'string')
    return value !== '' && isSecretName(name, value) ? HIDDEN : undefined;
  if (typeof value === 'number')
    return /pass|pwd|otp|cvv|cvc|pin$/i.test(name) && isSecretName(name, String(value))
      ? HIDDEN
      : undefined;
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string') &&
    isSecretName(name, value[0] as string)
  )
    return value.map(() => HIDDEN);
  return undefined;
};

const hidden = (value: unknown): unknown => {
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return HIDDEN;
  return undefined;
};

const NAMING_KEYS = ['name', 'key', 'header', 'label', 'field', 'id', 'selector', 'query'] as const;
const SECRET_FIELD_TYPE =
  /^(?:password|current-password|new-password|one-time-code|cc-number|cc-csc)$/i;
const SECRET_SELECTOR = /type\s*=\s*["']?password|[#.[](?:\w*[-_])?(?:password|passwd|pwd)\b/i;

/** Whether `value` is a secret because of the object's other members: a header, field or cookie. */
const holdsSecretValue = (members: Record<string, unknown>): boolean => {
  const { value, type, autocomplete } = members;
  if (value === undefined) return false;
  if (typeof type === 'string' && SECRET_FIELD_TYPE.test(type)) return true;
  if (typeof autocomplete === 'string' && SECRET_FIELD_TYPE.test(autocomplete)) return true;
  if (isCookie(members)) return true;
  const shown = typeof value === 'string' ? value : '';
  return NAMING_KEYS.some((key) => {
    const name = members[key];
    return (
      typeof name === 'string' &&
      name.length <= 200 &&
      (isSecretName(name, shown) || (key === 'selector' && SECRET_SELECTOR.test(name)))
    );
  });
};

const isCookie = (members: Record<string, unknown>): boolean =>
  typeof members['name'] === 'string' &&
  ('httpOnly' in members || 'sameSite' in members || ('domain' in members && 'path' in members)) &&
  typeof members['value'] === 'string';

/** Secrets from the secrets file, and secrets that were learned later. */
class KnownSecrets {
  readonly #whole = new Set<string>();
  readonly #learned = new Set<string>();
  /** Secrets that are also hidden inside longer text; the others only as a whole value. */
  readonly #inText: string[] = [];
  #search: SecretSearch | undefined;

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.#add(secret);
  }

  /** Adds a secret that became known later: the text of a password field. */
  learn(secret: string, max = MAX_LEARNED): void {
    if (secret === '' || this.#whole.has(secret) || this.#learned.has(secret)) return;
    if (this.#learned.size >= max) return;
    this.#learned.add(secret);
    if (isNoWord(secret)) this.#add(secret);
  }

  #add(secret: string): void {
    if (secret === '') return;
    this.#whole.add(secret);
    if (secret.length < MIN_CHARS_IN_TEXT) return;
    this.#inText.push(secret);
    this.#search = undefined;
  }

  /** Whether the whole value is a secret. A learned value counts only under `value` and `text`. */
  isWhole(value: string, name: string): boolean {
    return (
      this.#whole.has(value) || (this.#learned.has(value) && (name === 'value' || name === 'text'))
    );
  }

  hideIn(text: string): string {
    if (this.#inText.length === 0) return text;
    this.#search ??= new SecretSearch(this.#inText);
    const found = this.#search.find(text);
    if (found.length === 0) return text;
    const kept = found.map(([from], i) => text.slice(found[i - 1]?.[1] ?? 0, from));
    return [...kept, text.slice(found.at(-1)?.[1])].join(HIDDEN);
  }
}

/**
 * Values that pages reported, by origin, so that a page can neither hide text of other sites nor
 * fill the table.
 */
class PageSecrets {
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
