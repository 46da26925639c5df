// The interface of a redactor, for layers that must not import its rules (policy/redact.ts).

export interface Redactor {
  text(text: string): string;
  /**
   * Replaces secrets in JSON data, found by name or by value. Returns the same object if it
   * contains none.
   */
  data<T>(data: T): T;
  /** As `text`. A large text is redacted in a worker thread, so that the event loop stays free. */
  largeText(text: string, signal?: AbortSignal): Promise<string>;
  /** As `data`. Large data is redacted in slices, and its large texts in a worker thread. */
  largeData<T>(data: T, signal?: AbortSignal): Promise<T>;
  /**
   * Adds a secret, for example the text of a password field. Call it before the value can be
   * logged.
   */
  learn(secret: string): void;
  /** Adds a secret of the owner; unlike a learned value it is always hidden inside text. */
  addSecret(secret: string): void;
  /** Like `addSecret`, for a one-time code. Only the newest codes stay hidden. */
  addCode(code: string): void;
  /**
   * Like `learn`, for a value that a page reported. The page may have chosen it, so a short or
   * ordinary value is hidden only by `forOrigins` with this origin.
   */
  learnFromPage(origin: string, secret: string): void;
  /**
   * A redactor that also hides all values reported by pages of these origins, including values that
   * are learned later.
   */
  forOrigins(origins: Iterable<string>): Redactor;
  /** Changes when a secret is added: data that was redacted before may contain it. */
  readonly revision: number;
}
