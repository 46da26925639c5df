// Which requests a listing is about: by time, tab, method, address and outcome, then by kind, then by what is in their bodies.
import type { SeenRequest } from '../../browser/traffic/workspace-traffic.ts';
import { leftOutAs, type LeftOutAs } from '../../policy/traffic-filter.ts';
import { matchingAddresses } from './address-pattern.ts';
import { contentTypeOf } from './capture.ts';

export interface Selection {
  readonly all?: boolean | undefined;
  readonly failed?: boolean | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only what began or ended behind this number. */
  readonly cursor?: number | undefined;
  readonly tabId?: string | undefined;
}

export interface Selected {
  readonly kept: readonly SeenRequest[];
  readonly leftOut: Readonly<Partial<Record<LeftOutAs, number>>>;
}

export const select = (requests: readonly SeenRequest[], selection: Selection): Selected => {
  const asked = requests.filter((seen) => isAskedFor(seen, selection));
  const addresses =
    selection.url === undefined
      ? undefined
      : matchingAddresses(
          asked.map(({ record }) => record.url),
          selection.url,
        );
  const leftOut: Partial<Record<LeftOutAs, number>> = {};
  const kept = asked.filter((seen) => {
    if (addresses && !addresses.has(seen.record.url)) return false;
    const reason = selection.all || selection.failed ? undefined : reasonToLeaveOut(seen);
    if (reason) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    return reason === undefined;
  });
  return { kept, leftOut };
};

export const reasonToLeaveOut = ({ record }: SeenRequest): LeftOutAs | undefined =>
  leftOutAs({
    method: record.method,
    resourceType: record.resourceType,
    url: record.url,
    documentUrl: record.documentUrl,
    contentType: contentTypeOf(record),
    failed: record.state === 'failed',
  });

const isAskedFor = (seen: SeenRequest, { cursor, tabId, since, until, method, failed }: Selection): boolean => {
  const { record } = seen;
  if (cursor !== undefined && seen.version <= cursor) return false;
  if (tabId !== undefined && seen.tabId !== tabId) return false;
  const at = record.startedAt || seen.seenAt;
  if ((since !== undefined && at < since) || (until !== undefined && at > until)) return false;
  if (method !== undefined && record.method.toUpperCase() !== method.toUpperCase()) return false;
  return !failed || record.state === 'failed' || (record.status ?? 0) >= 400;
};
