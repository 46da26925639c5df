// Requests whose sent or received body has all of some field names, at any depth.
import type { SeenRequest, WorkspaceTraffic } from '../../browser/traffic/workspace-traffic.ts';
import { jsonOf } from '../../render/captured-content.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
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

const hasFields = (captured: CapturedRequest, fields: readonly string[]): boolean =>
  hasReceivedFields(captured, fields) || hasSentFields(captured, fields);

const hasSentFields = ({ requestBody, requestHeaders }: CapturedRequest, fields: readonly string[]): boolean => {
  if (!requestBody) return false;
  const contentType = requestHeaders['content-type'] ?? '';
  const names = listFormNames(requestBody, contentType);
  if (names) return fields.every((name) => names.has(name));
  return hasFieldsInTexts([requestBody.text ?? ''], requestBody, contentType, fields);
};

/** The names of the fields of a form; nothing for other content. */
const listFormNames = ({ parts, text }: Content, contentType: string): ReadonlySet<string> | undefined => {
  if (parts) return new Set(parts.map(({ name }) => name));
  if (!/^application\/x-www-form-urlencoded/i.test(contentType)) return undefined;
  return new Set(new URLSearchParams(text ?? '').keys());
};

const hasReceivedFields = ({ body, contentType, messages }: CapturedRequest, fields: readonly string[]): boolean =>
  messages
    ? hasFieldsInTexts(
        messages.kept.map(({ data }) => data),
        body,
        'application/json',
        fields,
      )
    : hasFieldsInTexts([body.text ?? ''], body, contentType, fields);

const hasFieldsInTexts = (texts: readonly string[], content: Content, contentType: string, fields: readonly string[]): boolean => {
  // Most bodies have none of them: the text shows it, unless the names in it are written in another way.
  if (!fields.every((name) => texts.some((text) => text.includes(name) || text.includes('\\u')))) return false;
  const missing = new Set(fields);
  for (const text of texts) strike(jsonOf({ ...content, text }, contentType)?.value, missing);
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
