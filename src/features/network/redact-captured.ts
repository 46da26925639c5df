// Removes the secrets of a captured request before it is stored, exported or returned.
import { defined } from '../../core/defined.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import type { Redactor } from '../../core/redactor.ts';
import { parseUrl } from '../../core/text.ts';
import { createPayloadWriter, type PayloadWriter } from '../../store/files/payload-writer.ts';
import { parseJsonBody } from '../../render/json-path.ts';

export const redactCaptured = async (
  captured: CapturedRequest,
  known: Redactor,
  signal: AbortSignal,
): Promise<CapturedRequest> => {
  const writer = createPayloadWriter(known.forOrigins(listOriginsOfRequest(captured)));
  const { body, requestBody, messages, shape, ...rest } = captured;
  const sentType = captured.requestHeaders['content-type'] ?? '';
  const redactContent = (content: Content, contentType: string): Promise<Content> =>
    redactBody(content, contentType, writer, signal);
  return defined({
    ...(await writer.cleanLarge(rest, signal)),
    shape, // contains names and types only
    body: await redactContent(body, captured.contentType),
    requestBody: requestBody ? await redactContent(requestBody, sentType) : undefined,
    messages: messages ? await redactMessages(messages, writer, signal) : undefined,
  });
};

type Messages = NonNullable<CapturedRequest['messages']>;

const redactMessages = async (
  messages: Messages,
  writer: PayloadWriter,
  signal: AbortSignal,
): Promise<Messages> => {
  const kept: Messages['kept'][number][] = [];
  for (const message of messages.kept)
    kept.push({ ...message, data: await redactText(message.data, '', writer, signal) });
  return { ...messages, kept };
};

/**
 * The origins of the server and of the page, because a password is typed on one and sent to the
 * other.
 */
const listOriginsOfRequest = ({ url, requestHeaders }: CapturedRequest): string[] =>
  [url, requestHeaders['origin'], requestHeaders['referer']].flatMap(
    (address) => parseUrl(address ?? '')?.origin ?? [],
  );

const redactBody = async (
  content: Content,
  contentType: string,
  writer: PayloadWriter,
  signal: AbortSignal,
): Promise<Content> => {
  if (content.parts) return { ...content, parts: await writer.cleanLarge(content.parts, signal) };
  if (content.text === undefined) return content;
  return { ...content, text: await redactText(content.text, contentType, writer, signal) };
};

/**
 * Redacts JSON by field name and other text by pattern. Returns the same text if nothing matches.
 */
export const redactText = async (
  text: string,
  contentType: string,
  writer: PayloadWriter,
  signal: AbortSignal,
): Promise<string> => {
  const json = parseJsonBody(text, contentType);
  if (!json) return writer.cleanLargeText(text, signal);
  const clean = await writer.cleanLarge(json.value, signal);
  return writer.cleanLargeText(clean === json.value ? text : JSON.stringify(clean), signal);
};
