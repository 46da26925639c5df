// Writes the captured requests of a workspace to a HAR file, with the bodies that are available.
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { VERSION } from '../../core/version.ts';
import { toHar } from '../../render/har.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { cleanCaptured, type NetworkContext, formatWorkspace } from './network-context.ts';
import { select, type Selection } from './select.ts';
import { withBodies } from './capture.ts';

const PATIENCE_MS = 15_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export const exportHar = async (
  networkContext: NetworkContext,
  path: string,
  selection: Selection,
  ttlMs: number,
): Promise<Record<string, unknown>> => {
  const requests = await collectCapturedRequests(
    networkContext,
    { ...selection, all: true },
    ttlMs,
  );
  const text = JSON.stringify(toHar(requests, VERSION));
  await replaceFile(path, text);
  return { har: path, entries_count: requests.length, size_bytes: Buffer.byteLength(text) };
};

/** Returns the requests in memory, or the stored capture if memory has none. */
export const collectCapturedRequests = async (
  networkContext: NetworkContext,
  selection: Selection,
  ttlMs: number,
): Promise<CapturedRequest[]> => {
  const live = networkContext.session.traffic.requests();
  if (live.length === 0)
    return [
      ...(
        await networkContext.cache.load(formatWorkspace(networkContext), {
          ttlMs,
          now: networkContext.now,
        })
      ).requests,
    ];
  const { kept } = await select(live, selection, networkContext);
  return withLiveBodies(networkContext, kept);
};

/**
 * Returns redacted requests with their bodies. If `asking` is false, bodies are not requested from
 * Chrome, because a page that hangs would block the call.
 */
export const withLiveBodies = async (
  networkContext: Pick<NetworkContext, 'session' | 'signal' | 'reveal' | 'redactor'>,
  requests: readonly WorkspaceRequest[],
  { asking = true } = {},
): Promise<CapturedRequest[]> => {
  let left = MAX_BODY_BYTES;
  const worth = ({ record }: WorkspaceRequest): boolean =>
    asking && record.decodedBytes > 0 && (left -= record.decodedBytes) >= 0;
  const { session, signal } = networkContext;
  const options = { signal, worth, patienceMs: PATIENCE_MS };
  const clean: CapturedRequest[] = [];
  for (const request of await withBodies(session.traffic, requests, options))
    clean.push(await cleanCaptured(networkContext, request));
  return clean;
};
