// Finds the registrable domain of a host. Imported lazily because its suffix lists are large.
import { getDomain } from 'tldts';

/** Private suffixes count: `a.github.io` and `b.github.io` are different domains. */
export const findRegistrableDomain = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true });
