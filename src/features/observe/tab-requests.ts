// The requests of one tab for viewers: a list with timings, one request in full, and a HAR log.
import type { Session } from '../../browser/tabs/session.ts';
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { fail } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { TimeSlices } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import { toHar } from '../../render/har.ts';
import { describeUnfetchedBody, toCaptured } from '../network/capture.ts';
import { withLiveBodies } from '../network/export-har.ts';
import { redactCaptured } from '../network/redact-captured.ts';
import { withShape } from '../network/capture.ts';

const MAX_LISTED = 500;

/** Redacted requests by their record; a changed record has a new version. */
type Cache = WeakMap<
  object,
  { readonly version: number; readonly request: Promise<CapturedRequest> }
>;

export class TabRequests {
  readonly #redactor: Redactor;
  readonly #cache: Cache = new WeakMap();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The newest requests of the tab without bodies, oldest first. */
  async list(session: Session, tabId: string, signal: AbortSignal): Promise<CapturedRequest[]> {
    const slices = new TimeSlices(signal);
    const listed: CapturedRequest[] = [];
    for (const seen of findOfTab(session, tabId).slice(-MAX_LISTED)) {
      if (slices.isOver) await slices.pause();
      listed.push(await this.#redact(seen, signal));
    }
    return listed;
  }

  #redact(seen: WorkspaceRequest, signal: AbortSignal): Promise<CapturedRequest> {
    const { record, version } = seen;
    const known = this.#cache.get(record);
    if (known?.version === version) return known.request;
    const whole = toCaptured(seen, describeUnfetchedBody(seen));
    const request = redactCaptured(whole, this.#redactor, signal);
    this.#cache.set(record, { version, request });
    request.catch(() => this.#cache.delete(record));
    return request;
  }

  /** One request with its bodies and the shape of the response. */
  async load(
    session: Session,
    tabId: string,
    key: string,
    signal: AbortSignal,
  ): Promise<CapturedRequest> {
    const seen = findOfTab(session, tabId).find((one) => one.key === key);
    if (!seen) throw fail('key_not_found', 'This request is no longer recorded.');
    const desk = { session, signal, reveal: false, redactor: this.#redactor };
    const [captured] = await withLiveBodies(desk, [seen]);
    if (!captured) throw fail('key_not_found', 'This request is no longer recorded.');
    return withShape(seen, captured);
  }

  async buildHar(session: Session, tabId: string, signal: AbortSignal): Promise<object> {
    const desk = { session, signal, reveal: false, redactor: this.#redactor };
    return toHar(await withLiveBodies(desk, findOfTab(session, tabId)), VERSION);
  }
}

const findOfTab = ({ traffic }: Session, tabId: string): readonly WorkspaceRequest[] =>
  traffic.requests().filter((seen) => seen.tabId === tabId);
