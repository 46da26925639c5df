// Why an address is no page of a crawl, though something led there.
import type { DomainRefusal } from '../../policy/domains.ts';

export const REFUSALS = ['robots', 'scope', 'private', 'domain', 'type'] as const;
/** `domain`: by a list of the server's or the task's. `type`: pictures, films, archives and parts of pages, known by their names. */
export type Refusal = (typeof REFUSALS)[number];

export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly reason: Refusal,
    readonly url: string,
    /** The guard's own word, where it was the guard. */
    readonly byGuard?: DomainRefusal,
  ) {
    super(`${url} is refused: ${reason}`);
  }
}

export const refusedByGuard = (refusal: DomainRefusal, url: string): Refused => new Refused(refusalOfGuard(refusal), url, refusal);

export const refusalOfGuard = ({ reason }: DomainRefusal): Refusal =>
  reason === 'private_address' || reason === 'metadata' ? 'private' : 'domain';
