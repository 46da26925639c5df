// What a redactor does, for rooms that must not know how: the rules are in policy/redact.ts.

export interface Redactor {
  text(text: string): string;
  /**
   * A copy of JSON data in which secrets, by name or by value, are replaced; the same object where
   * there are none.
   */
  data<T>(data: T): T;
  /**
   * From now on this value is a secret: what was typed into a password field, before it can be
   * written down anywhere.
   */
  learn(secret: string): void;
  /**
   * Like `learn`, for a value that a page reported. The page may have chosen it, so a short or
   * ordinary one is hidden only by `forOrigins` with this origin.
   */
  learnFromPage(origin: string, secret: string): void;
  /**
   * A redactor that also hides all values reported by pages of these origins; reads them at each
   * use.
   */
  forOrigins(origins: Iterable<string>): Redactor;
}
