// Removes the secrets of a captured request before it is stored, exported or returned.
import { defined } from '../../core/defined.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import type { Redactor } from '../../core/redactor.ts';
import { parseJsonBody } from '../../render/json-body.ts';

export const redactCaptured = (captured: CapturedRequest, known: Redactor): CapturedRequest => {
  const redactor = known.forOrigins(listOriginsOfRequest(captured));
  const { body, requestBody, messages, shape, ...rest } = captured;
  const sentType = captured.requestHeaders['content-type'] ?? '';
  return defined({
    ...redactor.data(rest),
    shape: shape ? shape : undefined, // contains names and types only
    body: redactContent(body, captured.contentType, redactor),
    requestBody: requestBody ? redactContent(requestBody, sentType, redactor) : undefined,
    messages: messages
      ? {
          ...messages,
          kept: messages.kept.map((message) => ({
            ...message,
            data: redactText(message.data, '', redactor),
          })),
        }
      : undefined,
  });
};

/**
 * The origins of the server and of the page, because a password is typed on one and sent to the
 * other.
 */
const listOriginsOfRequest = ({ url, requestHeaders }: CapturedRequest): string[] =>
  [url, requestHeaders['origin'], requestHeaders['referer']].flatMap(
    (address) => URL.parse(address ?? '')?.origin ?? [],
  );

const redactContent = (content: Content, contentType: string, redactor: Redactor): Content => {
  if (content.parts) return { ...content, parts: redactor.data(content.parts) };
  return content.text === undefined
    ? content
    : { ...content, text: redactText(content.text, contentType, redactor) };
};

/**
 * Redacts JSON by field name and other text by pattern. Returns the same text if nothing matches.
 */
export const redactText = (text: string, contentType: string, redactor: Redactor): string => {
  const json = parseJsonBody(text, contentType);
  if (!json) return redactor.text(text);
  const clean = redactor.data(json.value);
  return redactor.text(clean === json.value ? text : JSON.stringify(clean));
};
