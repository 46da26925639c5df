// What a redactor does, for rooms that must not know how: the rules are in policy/redact.ts.

export interface Redactor {
  text(text: string): string;
  /** A copy of JSON data in which secrets, by name or by value, are replaced; the same object where there are none. */
  data<T>(data: T): T;
}
