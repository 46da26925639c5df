// The reasons why a crawl does not visit a URL that was linked or redirected to.
import type { DomainRefusal } from '../../policy/domains.ts';

export const REFUSALS = ['robots', 'scope', 'private', 'domain', 'type', 'sign_out'] as const;
/**
 * `domain`: refused by a domain list of the server or task. `type`: images, videos, archives and
 * page resources, by file extension. `sign_out`: a link that would end the session whose cookies
 * the crawl sends.
 */
export type Refusal = (typeof REFUSALS)[number];

export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly reason: Refusal,
    readonly url: string,
    /** The refusal of the domain policy, if it refused the URL. */
    readonly byGuard?: DomainRefusal,
  ) {
    super(`${url} is not allowed: ${reason}`);
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
