// A tab as viewers see it. Types only, because the page of the dashboard uses them too.

/** A tab as viewers see it: page texts are redacted. */
export interface TabView {
  readonly tabId: string;
  readonly shortId?: string;
  readonly session: string;
  /** The name and version of the client that works in the session. */
  readonly host?: string;
  readonly url: string;
  readonly title: string;
  readonly active: boolean;
  readonly loading: boolean;
  readonly crashed: boolean;
  /** The page has not responded since this time, in Unix milliseconds. */
  readonly hungSince?: number;
  /** The tool that works in it. */
  readonly busy?: string;
  readonly dialog?: {
    readonly kind: string;
    readonly message: string;
    readonly openedAt: number;
    readonly defaultPrompt?: string;
  };
}
