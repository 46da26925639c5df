// A captured request without its secrets: what is stored or exported is what a reply would show.
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
    shape: shape ? shape : undefined, // names and types, no values
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
 * Of the server and of the page that sent the request: a password is typed into one and sent to the
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

/** JSON by the names in it; the same text where nothing was found. */
export const redactText = (text: string, contentType: string, redactor: Redactor): string => {
  const json = parseJsonBody(text, contentType);
  if (!json) return redactor.text(text);
  const clean = redactor.data(json.value);
  return redactor.text(clean === json.value ? text : JSON.stringify(clean));
};
