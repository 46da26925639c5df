// Why an address is no page of a crawl, though something led there.
import type { DomainRefusal } from '../../policy/domains.ts';

export const REFUSALS = ['robots', 'scope', 'private', 'domain', 'type', 'sign_out'] as const;
/**
 * `domain`: by a list of the server's or the task's. `type`: pictures, films, archives and parts of
 * pages, known by their names. `sign_out`: a link that would end the login whose cookies the crawl
 * sends.
 */
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

export const createGuardRefusal = (refusal: DomainRefusal, url: string): Refused =>
  new Refused(classifyGuardRefusal(refusal), url, refusal);

const PRIVATE_REASONS: ReadonlySet<DomainRefusal['reason']> = new Set([
  'private_address',
  'this_machine',
  'metadata',
]);

export const classifyGuardRefusal = ({ reason }: DomainRefusal): Refusal =>
  PRIVATE_REASONS.has(reason) ? 'private' : 'domain';
