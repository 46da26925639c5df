// Decides about requests and downloads of pages that the owner's policy judges before they happen.

/** A navigation request with a body, or with a method other than GET. */
export interface SubmitRequest {
  readonly url: string;
  readonly method: string;
  /** The pages that caused the request, as far as they are known. */
  readonly pages: readonly string[];
  /** The tab of the request, then its openers. */
  readonly tabIds: readonly string[];
  /** Undefined if the tab is unknown. */
  readonly session: string | undefined;
}

export interface DownloadRequest extends Omit<SubmitRequest, 'method'> {
  readonly file: string;
}

/** Each function is absent if no rule needs it: nothing is then intercepted. */
export interface EffectGate {
  readonly allowSubmit?: (request: SubmitRequest) => Promise<boolean>;
  readonly allowDownload?: (request: DownloadRequest) => Promise<boolean>;
}

const BODILESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Whether a document request is a submit, from Chrome's description of it. */
export const isSubmit = ({
  method,
  hasPostData = false,
}: {
  readonly method: string;
  readonly hasPostData?: boolean;
}): boolean => hasPostData || !BODILESS_METHODS.has(method.toUpperCase());
