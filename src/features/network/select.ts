// Selects requests by time, tab, method, URL and outcome, and leaves out noise such as assets.
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import { classifyFiltered, type LeftOutAs } from '../../policy/traffic-filter.ts';
import { type AddressMatchContext, matchAddresses } from './address-pattern.ts';
import { readContentType } from './capture.ts';

export interface Selection {
  readonly all?: boolean | undefined;
  readonly failed?: boolean | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only requests that changed after this version number. */
  readonly cursor?: number | undefined;
  readonly tabId?: string | undefined;
}

export interface Selected {
  readonly kept: readonly WorkspaceRequest[];
  readonly leftOut: Readonly<Partial<Record<LeftOutAs, number>>>;
}

export const select = async (
  requests: readonly WorkspaceRequest[],
  selection: Selection,
  context: AddressMatchContext,
): Promise<Selected> => {
  const asked = requests.filter((seen) => isAskedFor(seen, selection));
  const addresses = await findAddresses(asked, selection.url, context);
  const leftOut: Partial<Record<LeftOutAs, number>> = {};
  const kept = asked.filter((seen) => {
    if (addresses && !addresses.has(seen.record.url)) return false;
    const reason = selection.all || selection.failed ? undefined : findExclusionReason(seen);
    if (reason) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    return reason === undefined;
  });
  return { kept, leftOut };
};

const findAddresses = async (
  requests: readonly WorkspaceRequest[],
  pattern: string | undefined,
  context: AddressMatchContext,
): Promise<ReadonlySet<string> | undefined> => {
  if (pattern === undefined) return undefined;
  const urls = [...new Set(requests.map(({ record }) => record.url))];
  return matchAddresses(urls, pattern, context);
};

export const findExclusionReason = ({ record }: WorkspaceRequest): LeftOutAs | undefined =>
  classifyFiltered({
    method: record.method,
    resourceType: record.resourceType,
    url: record.url,
    documentUrl: record.documentUrl,
    contentType: readContentType(record),
    failed: record.state === 'failed',
  });

const isAskedFor = (
  seen: WorkspaceRequest,
  { cursor, tabId, since, until, method, failed }: Selection,
): boolean => {
  const { record } = seen;
  if (cursor !== undefined && seen.version <= cursor) return false;
  if (tabId !== undefined && seen.tabId !== tabId) return false;
  const at = record.startedAt || seen.seenAt;
  if ((since !== undefined && at < since) || (until !== undefined && at > until)) return false;
  if (method !== undefined && record.method.toUpperCase() !== method.toUpperCase()) return false;
  return !failed || record.state === 'failed' || (record.status ?? 0) >= 400;
};
