// The domain that somebody registered, of any host in it. A file of its own: its lists are large,
// and loaded only where they are needed.
import { getDomain } from 'tldts';

/** Hosts of one provider (`a.github.io`, `b.github.io`) belong to different people. */
export const findRegistrableDomain = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true });
