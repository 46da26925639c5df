// While tasks hold tabs to fewer domains, Chrome dials other hosts only for requests that other
// tabs are known to make.
import { Events } from '../../core/events.ts';
import { Deadline } from '../../core/time.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import { formatHostPort } from './host-port.ts';

/** A tab, as far as it matters who asks for a host. */
export interface Asker {
  /** The policy of the task that the tab is held to. */
  readonly taskPolicy: DomainPolicy | undefined;
  /** Addresses that the tab waits for. */
  pendingUrls(): readonly string[];
}

/**
 * Chrome dials at the same moment in which it tells of the request; what nobody told of by then no
 * tab asked for.
 */
const CLAIM_MS = 1_500;

export class Admission {
  readonly #askers = new Set<Asker>();
  readonly #events = new Events<{ asked: string }>();
  #waiting = 0;

  add(asker: Asker): void {
    this.#askers.add(asker);
  }

  remove(asker: Asker): void {
    this.#askers.delete(asker);
  }

  /** A tab asks for an address. */
  tell(url: string): void {
    if (this.#waiting > 0) this.#events.emit('asked', formatHostPort(url));
  }

  /**
   * Shared workers, and connections that Chrome opens ahead, belong to no tab: they are held to
   * what every task allows.
   */
  async judge(host: string, port: number): Promise<DomainRefusal | undefined> {
    const judged = [...this.#askers].flatMap(({ taskPolicy }) =>
      taskPolicy ? [taskPolicy.judgeHost(host, port)] : [],
    );
    const [first] = judged;
    if (!first || judged.includes(undefined)) return undefined;
    return (await this.#isClaimed(`${host}:${port}`)) ? undefined : first;
  }

  async #isClaimed(place: string): Promise<boolean> {
    const free = [...this.#askers].filter(({ taskPolicy }) => !taskPolicy);
    if (free.some((asker) => asker.pendingUrls().some((url) => formatHostPort(url) === place)))
      return true;
    using patience = new Deadline(CLAIM_MS);
    this.#waiting++;
    try {
      await this.#events.next('asked', (asked) => asked === place, patience.signal);
      return true;
    } catch {
      return false;
    } finally {
      this.#waiting--;
    }
  }
}
