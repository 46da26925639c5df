// Checks all requests of our Chrome while a task restricts a tab, also those that no tab intercepts.
import { detach } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import type { DomainRefusal } from '../../policy/domains.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import type { DomainGuard, GuardRefusal } from './domain-guard.ts';

/** The guard of a tab, which stays usable after the tab is closed. */
interface RequestOwner {
  judge(url: string): DomainRefusal | undefined;
  report(refused: GuardRefusal): void;
}

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
  #enabled: Promise<void> | undefined;

  constructor(root: CdpSession, guard: DomainGuard) {
    this.#root = root;
    this.#guard = guard;
    root.on('Fetch.requestPaused', (event) => detach(this.#settle(event)));
  }

  /** Records that a frame or worker belongs to a tab. */
  addFrame(frameId: string, owner: RequestOwner): void {
    this.#owners.set(frameId, owner);
  }

  /** Checks all requests from now on; rejects with `control_failed` if Chrome does not allow it. */
  async restrict(owner: RequestOwner): Promise<void> {
    this.#restricted.add(owner);
    const enabling = (this.#enabled ??= this.#enable());
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
      // Rejects only if Chrome has ended.
      this.#root.send('Fetch.disable').catch(() => {});
    });
  }

  async #enable(): Promise<void> {
    try {
      await this.#root.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    } catch (error) {
      throw fail(
        'control_failed',
        `Chrome did not enable request interception: ${String(error)}.`,
        {},
        error,
      );
    }
  }

  async #settle(event: EventParams<'Fetch.requestPaused'>): Promise<void> {
    const { requestId } = event;
    const refusal = await this.#judge(event);
    const verdict = refusal
      ? this.#root.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      : this.#root.send('Fetch.continueRequest', { requestId });
    await verdict.catch(() => {}); // the request or Chrome is gone
  }

  async #judge({
    request: { url },
    frameId,
  }: EventParams<'Fetch.requestPaused'>): Promise<DomainRefusal | undefined> {
    const owner = this.#owners.get(frameId);
    const refusal = owner ? owner.judge(url) : await this.#guard.admission.judgeUrl(url);
    if (refusal) (owner ?? this.#reporter).report({ what: 'request', url, refusal });
    return refusal;
  }

  readonly #reporter: Pick<RequestOwner, 'report'> = {
    report: (refused) => this.#guard.refuse(refused),
  };
}
