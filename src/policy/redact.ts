// Removes known secrets, and values that look like secrets, from all output.
import { valueIf } from '../core/defined.ts';
import { isObject } from '../core/json.ts';
import { textAt } from '../core/text.ts';
import type { Redactor } from '../core/redactor.ts';
import { TimeSlices } from '../core/time.ts';
import type { WorkerPool } from '../core/worker-pool.ts';
import { KnownSecrets, PageSecrets } from './known-secrets.ts';
import { HIDDEN, redactText } from './secret-values.ts';
import { isSecretName } from './secret-names.ts';
import { TextWorker } from './text-worker.ts';
import { ChangedObject, isBlob, isLarge, isPlain, mapChanged, mapChangedInSlices } from './walk.ts';

/** All token formats are longer, so a name up to this length is searched for known secrets only. */
const SHORT_NAME_CHARS = 19;

/** With `workers`, large texts are redacted in a worker thread by `largeText` and `largeData`. */
export const createRedactor = (secrets: readonly string[] = [], workers?: WorkerPool): Redactor => {
  const own = new KnownSecrets(secrets);
  const ownOnly = [own];
  const fromPages = new PageSecrets();
  const texts = workers && new TextWorker(workers);
  let revision = 0;
  const forOrigins = (origins: Iterable<string>): Redactor => {
    // Called for every string of a reply: without secrets from pages, no list is built.
    const tables = (): readonly KnownSecrets[] =>
      fromPages.isEmpty ? ownOnly : [own, ...fromPages.tables(origins)];
    const hideIn = (text: string): string => {
      let hidden = text;
      for (const table of tables()) hidden = table.hideIn(hidden);
      return hidden;
    };
    const rules = new RedactionRules({
      isWhole: (value, name) => tables().some((table) => table.isWhole(value, name)),
      hideIn,
      redactLarge: async (text, signal) => {
        const known = tables().map(({ inText }) => inText);
        if (isBlob(text) && known.every(({ length }) => length === 0)) return text;
        return texts ? texts.redact(text, known, signal) : redactText(text, hideIn);
      },
    });
    return {
      text: (input) => rules.text(input),
      data: <T>(data: T) => rules.data(data) as T,
      largeText: (input, signal) => rules.largeText(input, signal),
      largeData: <T>(data: T, signal?: AbortSignal) => rules.largeData(data, signal) as Promise<T>,
      learn: (secret) => {
        revision++;
        own.learn(secret);
      },
      addSecret: (secret) => {
        revision++;
        own.add(secret);
      },
      addCode: (code) => {
        revision++;
        own.addCode(code);
      },
      learnFromPage: (origin, secret) => {
        revision++;
        fromPages.learn(origin, secret);
      },
      forOrigins,
      get revision() {
        return revision;
      },
    };
  };
  return forOrigins([]);
};

interface SecretTable extends Pick<KnownSecrets, 'isWhole' | 'hideIn'> {
  /** As `redactText`, in a worker thread. */
  readonly redactLarge: (text: string, signal: AbortSignal | undefined) => Promise<string>;
}

/**
 * A class, so that V8 shares the optimised code of its methods: every call and every captured
 * request creates its own redactor.
 */
class RedactionRules {
  readonly #known: SecretTable;

  constructor(known: SecretTable) {
    this.#known = known;
  }

  text(input: string): string {
    return redactText(input, this.#known.hideIn);
  }

  data(value: unknown, name = ''): unknown {
    if (typeof value === 'string')
      return this.#known.isWhole(value, name) ? HIDDEN : this.text(value);
    if (Array.isArray(value)) return mapChanged(value, (item) => this.data(item));
    if (!isObject(value) || !isPlain(value)) return value;
    return this.#object(value);
  }

  #rename(key: string): string {
    return key.length > SHORT_NAME_CHARS ? this.text(key) : this.#known.hideIn(key);
  }

  #object(members: Record<string, unknown>): Readonly<Record<string, unknown>> {
    const hideValue = holdsSecretValue(members);
    const changed = new ChangedObject(members);
    for (const key of changed.keys) {
      const value = members[key];
      changed.push(this.#rename(key), hideMember(key, value, hideValue) ?? this.data(value, key));
    }
    return changed.result;
  }

  async largeText(input: string, signal: AbortSignal | undefined): Promise<string> {
    return isLarge(input) ? this.#known.redactLarge(input, signal) : this.text(input);
  }

  async largeData(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (!isLarge(value)) return this.data(value);
    return this.#large(value, '', new TimeSlices(signal), signal);
  }

  async #large(
    value: unknown,
    name: string,
    slices: TimeSlices,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const next = (item: unknown, key = ''): unknown =>
      isLarge(item) ? this.#large(item, key, slices, signal) : this.data(item, key);
    if (typeof value === 'string')
      return this.#known.isWhole(value, name) ? HIDDEN : this.#known.redactLarge(value, signal);
    if (Array.isArray(value)) return mapChangedInSlices(value, (item) => next(item), slices);
    if (!isObject(value) || !isPlain(value)) return value;
    const hideValue = holdsSecretValue(value);
    const changed = new ChangedObject(value);
    for (const key of changed.keys) {
      if (slices.isOver) await slices.pause();
      const item = value[key];
      const shown = isLarge(key) ? await this.#known.redactLarge(key, signal) : this.#rename(key);
      changed.push(shown, hideMember(key, item, hideValue) ?? (await next(item, key)));
    }
    return changed.result;
  }
}

/** The replacement of a member's value because of names; undefined if it must be searched. */
const hideMember = (key: string, value: unknown, hideValue: boolean): unknown => {
  if (typeof value === 'string' && SECRET_REFERENCE.test(value)) return undefined;
  return hideValue && key === 'value' ? hidden(value) : hiddenByName(key, value);
};

/** The name of a secret in a call is not secret; a recipe of the call needs it. */
const SECRET_REFERENCE = /^\$\{(?:SECRET|TOTP):[\w.-]{1,100}\}$/;

/** The replacement of a value under a secret name. Strings are hidden, also in arrays. */
const hiddenByName = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return valueIf(value !== '' && isSecretName(name, value), HIDDEN);
  if (typeof value === 'number')
    return valueIf(
      /pass|pwd|otp|cvv|cvc|pin$/i.test(name) && isSecretName(name, String(value)),
      HIDDEN,
    );
  if (!isTextList(value) || !isSecretName(name, textAt(value, 0))) return undefined;
  return value.map(() => HIDDEN);
};

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

const HIDDEN_TYPES = new Set(['string', 'number']);

const hidden = (value: unknown): unknown =>
  valueIf(HIDDEN_TYPES.has(typeof value) && value !== '', HIDDEN);

const NAMING_KEYS = ['name', 'key', 'header', 'label', 'field', 'id', 'selector', 'query'] as const;
const SECRET_FIELD_TYPE =
  /^(?:password|current-password|new-password|one-time-code|cc-number|cc-csc)$/i;
const SECRET_SELECTOR = /type\s*=\s*["']?password|[#.[](?:\w*[-_])?(?:password|passwd|pwd)\b/i;

/** Whether `value` is a secret because of the object's other members: a header, field or cookie. */
const holdsSecretValue = (members: Record<string, unknown>): boolean => {
  const { value, type, autocomplete } = members;
  if (value === undefined) return false;
  if (isSecretType(type) || isSecretType(autocomplete) || isCookie(members)) return true;
  const shown = typeof value === 'string' ? value : '';
  const isNamed = NAMING_KEYS.some((key) =>
    isShortText(members[key], (name) => isSecretName(name, shown)),
  );
  return isNamed || isShortText(members['selector'], (text) => SECRET_SELECTOR.test(text));
};

const isSecretType = (type: unknown): boolean =>
  typeof type === 'string' && SECRET_FIELD_TYPE.test(type);

/** Whether the value is a text that passes the test. Long texts are not names. */
const isShortText = (value: unknown, test: (text: string) => boolean): boolean =>
  typeof value === 'string' && value.length <= 200 && test(value);

const isCookie = (members: Record<string, unknown>): boolean =>
  typeof members['name'] === 'string' &&
  ('httpOnly' in members || 'sameSite' in members || ('domain' in members && 'path' in members)) &&
  typeof members['value'] === 'string';
