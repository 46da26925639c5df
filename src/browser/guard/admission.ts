// Decides whether Chrome may connect to a host that the active tasks do not allow.
import { Events } from '../../core/events.ts';
import { Deadline } from '../../core/time.ts';
import { canParseUrl } from '../../core/text.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';

// Formats the host and port of a URL as the SOCKS client sends them. Pure.

const SECURE = /^(?:https|wss):$/;

export const formatHostPort = (url: string): string => {
  if (!canParseUrl(url)) return url;
  const { hostname, port, protocol } = new URL(url);
  return `${removeBrackets(hostname)}:${port || (SECURE.test(protocol) ? 443 : 80)}`;
};

const removeBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? expandAddress(hostname.slice(1, -1)) : hostname;

/** Expands `::1` to `0:0:0:0:0:0:0:1`. */
const expandAddress = (address: string): string => {
  const [head = '', tail] = address.split('::');
  const parts = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [before, behind] = [parts(head), parts(tail)];
  return [
    ...before,
    ...(tail === undefined ? [] : Array<string>(8 - before.length - behind.length).fill('0')),
    ...behind,
  ].join(':');
};

/** A tab that can request hosts. */
export interface Asker {
  /** The policy of the task that restricts the tab; undefined if no task restricts it. */
  readonly taskPolicy: DomainPolicy | undefined;
  /** URLs of the tab's pending requests. */
  pendingUrls(): readonly string[];
}

/**
 * Chrome connects and reports the request at the same time. A connection without a request event
 * within this time does not belong to a tab.
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

  /** Reports that an unrestricted tab requests this URL. */
  tell(url: string): void {
    if (this.#waiting > 0) this.#events.emit('asked', formatHostPort(url));
  }

  /**
   * Shared workers and preconnects do not belong to a tab: they may reach a host only if one of
   * the tasks allows it.
   */
  judge(host: string, port: number): Promise<DomainRefusal | undefined> {
    return this.#admit(`${host}:${port}`, (policy) => policy.judgeHost(host, port));
  }

  /** Like `judge`, for a request that does not belong to a tab. */
  judgeUrl(url: string): Promise<DomainRefusal | undefined> {
    return this.#admit(formatHostPort(url), (policy) => policy.judgeUrl(url));
  }

  async #admit(
    place: string,
    judge: (policy: DomainPolicy) => DomainRefusal | undefined,
  ): Promise<DomainRefusal | undefined> {
    const judged = [...this.#askers].flatMap(({ taskPolicy }) =>
      taskPolicy ? [judge(taskPolicy)] : [],
    );
    const [first] = judged;
    if (!first || judged.includes(undefined)) return undefined;
    return (await this.#isClaimed(place)) ? undefined : first;
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
