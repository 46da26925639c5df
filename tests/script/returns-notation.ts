// The notation of the text "returns" of a tool: `{a, b?: [{c, …}]}; variant: {d}`.

type DocumentedObject = ReadonlyMap<string, DocumentedField>;

interface DocumentedField {
  readonly isOptional: boolean;
  readonly value: DocumentedValue | undefined;
}

type DocumentedValue =
  | { readonly kind: 'object'; readonly object: DocumentedObject }
  | { readonly kind: 'list'; readonly item: DocumentedValue | undefined };

/** The value of a variant; of the first one if it is empty. */
export const parseReturns = (returns: string, variant: string): DocumentedValue => {
  const start = variant === '' ? 0 : returns.indexOf(`${variant}: `);
  if (start < 0) throw new Error(`"${returns}" has no variant "${variant}"`);
  const reader = new NotationReader(returns.slice(start + (variant ? variant.length + 2 : 0)));
  const value = reader.readValue();
  if (!value) throw new Error(`"${returns}" does not describe fields`);
  return value;
};

/** Missing fields and values of another kind, with their paths. Others may follow. */
export const findMismatches = (
  documented: DocumentedValue | undefined,
  value: unknown,
  path = 'value',
): string[] => {
  if (!documented) return [];
  if (documented.kind === 'list') {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    return value.flatMap((item, at) => findMismatches(documented.item, item, `${path}[${at}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} is not an object`];
  const given = new Map(Object.entries(value));
  return [...documented.object].flatMap(([name, field]) => {
    if (given.has(name)) return findMismatches(field.value, given.get(name), `${path}.${name}`);
    return field.isOptional ? [] : [`${path}.${name} is missing`];
  });
};

class NotationReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined for a value that is described in words. */
  readValue(): DocumentedValue | undefined {
    if (this.#take('{')) return { kind: 'object', object: this.#readFields() };
    if (!this.#take('[')) return this.#skipWords();
    const item = this.#take('...') ? undefined : this.readValue();
    this.#take(']');
    return { kind: 'list', item };
  }

  #readFields(): DocumentedObject {
    const fields = new Map<string, DocumentedField>();
    while (!this.#take('}')) {
      if (!this.#take('…')) {
        const name = this.#readName();
        const isOptional = this.#take('?');
        fields.set(name, { isOptional, value: this.#take(': ') ? this.readValue() : undefined });
      }
      this.#take(', ');
    }
    return fields;
  }

  #readName(): string {
    const [name] = /^\w+/.exec(this.#text.slice(this.#at)) ?? [];
    if (name === undefined) throw new Error(`no field at ${this.#at} of "${this.#text}"`);
    this.#at += name.length;
    return name;
  }

  #skipWords(): undefined {
    while (this.#at < this.#text.length && !',}]'.includes(this.#text[this.#at] ?? '')) this.#at++;
  }

  #take(text: string): boolean {
    const isNext = this.#text.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }
}
