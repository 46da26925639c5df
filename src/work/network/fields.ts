// Requests whose body has all of some field names, at any depth.
import type { SeenRequest, WorkspaceTraffic } from '../../browser/traffic/workspace-traffic.ts';
import { jsonOf } from '../../render/captured-content.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { withBodies } from './with-bodies.ts';

export const keepWithFields = async (
  traffic: WorkspaceTraffic,
  requests: readonly SeenRequest[],
  fields: readonly string[],
  signal: AbortSignal,
): Promise<readonly SeenRequest[]> => {
  const captured = await withBodies(traffic, requests, { signal, worth: ({ record }) => record.decodedBytes > 0 });
  return requests.filter((_, i) => hasFields(captured[i] as CapturedRequest, fields));
};

const hasFields = ({ body, contentType, messages }: CapturedRequest, fields: readonly string[]): boolean => {
  const texts = messages ? messages.kept.map(({ data }) => data) : [body.text ?? ''];
  // Most bodies have none of them: the text tells, unless the names in it are written in another way.
  if (!fields.every((name) => texts.some((text) => text.includes(name) || text.includes('\\u')))) return false;
  const missing = new Set(fields);
  for (const text of texts) strike(jsonOf({ ...body, text }, messages ? 'application/json' : contentType)?.value, missing);
  return missing.size === 0;
};

/** Takes the names off that are met. */
const strike = (value: unknown, missing: Set<string>): void => {
  if (missing.size === 0 || typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) missing.delete(name);
    strike(inner, missing);
  }
};
