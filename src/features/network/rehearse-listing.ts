// Runs the code of a listing before the first listing, so that V8 has compiled it by then.
import { noFindings } from '../../policy/sanitise-text.ts';
import { sanitiseLargeData } from '../../policy/sanitise.ts';
import { renderLines } from '../../render/network-list.ts';
import { countTokens } from '../../render/tokens.ts';
import type { NetworkContext } from './network-context.ts';
import { listRequests } from './request-listing.ts';

/** After two rounds a further one saves less than 1 ms of the first listing. */
const ROUNDS = 2;
const MAX_REQUESTS = 200;

/** Lists the requests as lines. Stores and returns nothing, and sends no request to Chrome. */
export const rehearseListing = async (
  context: Omit<NetworkContext, 'cache' | 'reveal' | 'now'>,
): Promise<void> => {
  const cache = {
    load: () => Promise.reject(new Error('a rehearsal loads no capture')),
    save: () => Promise.resolve(),
  };
  for (let i = 0; i < ROUNDS; i++) {
    const listing = await listRequests(
      { ...context, cache, reveal: false, now: Date.now() },
      { limit: MAX_REQUESTS, body: 'none', maxBytes: 0 },
    );
    const sanitised = await sanitiseLargeData(listing, noFindings(), {}, context);
    const redacted = await context.redactor.largeData(sanitised, context.signal);
    countTokens(renderLines(redacted));
  }
};
