// Checks all requests of our Chrome while a task restricts a tab, also those outside of tabs.
import { valueIf } from '../../core/defined.ts';
import { detach } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import type { DomainRefusal } from '../../policy/domains.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import type { DomainGuard, GuardRefusal } from './domain-guard.ts';
import { isSubmit } from './effect-gate.ts';

/** The guard of a tab, which stays usable after the tab is closed. */
interface RequestOwner {
  readonly tabId: string;
  judge(url: string): DomainRefusal | undefined;
  report(refused: GuardRefusal): void;
}

type PausedConnection = EventParams<'Fetch.requestPaused'>;

/** The facts of a paused document request. */
interface PausedSubmit {
  readonly request: Pick<PausedConnection['request'], 'url' | 'method' | 'headers'>;
  readonly frameId: string;
}

/** Decides about a paused submit; `tabId` is undefined if the frame is unknown. */
export type SubmitJudge = (paused: PausedSubmit, tabId: string | undefined) => Promise<boolean>;

const ALL_REQUESTS = [{ urlPattern: '*' }];
const DOCUMENTS = [{ urlPattern: '*', resourceType: 'Document' as const }];

/** Number of frames and workers remembered; removed ones still send beacons. */
const KEPT_FRAMES = 10_000;
/** How long requests are checked after the last restricted tab was closed. */
const LINGER_MS = 10_000;

/**
 * A tab does not intercept all requests of its page: Chrome continues the paused requests of a
 * frame that is removed, and shared and service workers do not belong to a tab. Interception on
 * the browser's session is closer to the network than that of a tab, and it never ends early.
 */
export class BrowserGuard {
  readonly #root: CdpSession;
  readonly #guard: DomainGuard;
  readonly #owners = new BoundedMap<string, RequestOwner>(KEPT_FRAMES);
  readonly #restricted = new Set<RequestOwner>();
  readonly #judgeSubmit: SubmitJudge | undefined;
  #enabled: Promise<void> | undefined;

  /** `judgeSubmit` is undefined if no rule needs it. */
  constructor(root: CdpSession, guard: DomainGuard, judgeSubmit?: SubmitJudge) {
    this.#root = root;
    this.#guard = guard;
    this.#judgeSubmit = judgeSubmit;
    root.on('Fetch.requestPaused', (event) => detach(this.#settle(event)));
  }

  /** Pauses document requests if submits are judged; rejects with `control_failed`. */
  async start(): Promise<void> {
    if (this.#judgeSubmit) await this.#intercept(DOCUMENTS);
  }

  /** Records that a frame or worker belongs to a tab. */
  addFrame(frameId: string, owner: RequestOwner): void {
    this.#owners.set(frameId, owner);
  }

  /** Checks all requests from now on; rejects with `control_failed` if Chrome does not allow it. */
  async restrict(owner: RequestOwner): Promise<void> {
    this.#restricted.add(owner);
    const enabling = (this.#enabled ??= this.#intercept(ALL_REQUESTS));
    try {
      await enabling;
    } catch (error) {
      if (this.#enabled === enabling) this.#enabled = undefined;
      throw error;
    }
  }

  /** Checks all requests only as long as another tab is restricted. */
  release(owner: RequestOwner): void {
    if (!this.#restricted.delete(owner) || this.#restricted.size > 0) return;
    after(LINGER_MS, () => {
      if (this.#restricted.size > 0 || !this.#enabled) return;
      this.#enabled = undefined;
      const ending = this.#judgeSubmit
        ? this.#intercept(DOCUMENTS)
        : this.#root.send('Fetch.disable');
      ending.catch(() => {}); // Chrome has ended, or it still pauses all requests
    });
  }

  async #intercept(patterns: typeof ALL_REQUESTS | typeof DOCUMENTS): Promise<void> {
    try {
      await this.#root.send('Fetch.enable', { patterns });
    } catch (error) {
      throw fail(
        'control_failed',
        `Chrome did not enable request interception: ${String(error)}.`,
        {},
        error,
      );
    }
  }

  async #settle(event: PausedConnection): Promise<void> {
    const { requestId } = event;
    const errorReason = await this.#findError(event);
    const verdict = errorReason
      ? this.#root.send('Fetch.failRequest', { requestId, errorReason })
      : this.#root.send('Fetch.continueRequest', { requestId });
    await verdict.catch(() => {}); // the request or Chrome is gone
  }

  /** `Aborted` leaves the page as it is; `BlockedByClient` shows an error page. */
  async #findError(event: PausedConnection): Promise<'BlockedByClient' | 'Aborted' | undefined> {
    if (this.#enabled && (await this.#judge(event))) return 'BlockedByClient';
    const { request, resourceType, frameId } = event;
    if (!this.#judgeSubmit || resourceType !== 'Document' || !isSubmit(request)) return undefined;
    const isAllowed = await this.#judgeSubmit(event, this.#owners.get(frameId)?.tabId);
    return valueIf(!isAllowed, 'Aborted');
  }

  async #judge({
    request: { url },
    frameId,
  }: PausedConnection): Promise<DomainRefusal | undefined> {
    const owner = this.#owners.get(frameId);
    const refusal = owner ? owner.judge(url) : await this.#guard.admission.judgeUrl(url);
    if (refusal) (owner ?? this.#reporter).report({ what: 'request', url, refusal });
    return refusal;
  }

  readonly #reporter: Pick<RequestOwner, 'report'> = {
    report: (refused) => this.#guard.refuse(refused),
  };
}
