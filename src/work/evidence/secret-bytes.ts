// Bytes that are no text can hold a secret too; they cannot be changed without breaking them, so they are left out.
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import type { Redactor } from '../../core/redactor.ts';

/** What nobody writes a secret into, and what may hold anything by chance. */
const MEDIA = /^(?:image|audio|video|font)\//i;
const LEFT_OUT = 'it holds a secret';

export const withoutSecretBytes = (request: CapturedRequest, redactor: Redactor): CapturedRequest => {
  const { contentType, body, requestBody, messages } = request;
  const clean = (content: Content): Content => (holdsSecret(content.base64, redactor) ? withoutBytes(content) : content);
  return {
    ...request,
    body: MEDIA.test(contentType) ? body : clean(body),
    ...(requestBody ? { requestBody: clean(requestBody) } : {}),
    ...(messages ? { messages: { ...messages, kept: messages.kept.map((message) => cleanMessage(message, redactor)) } } : {}),
  };
};

const holdsSecret = (base64: string | undefined, redactor: Redactor): boolean => {
  if (base64 === undefined) return false;
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return redactor.text(text) !== text;
};

const withoutBytes = ({ size }: Content): Content => ({ ...(size === undefined ? {} : { size }), why: LEFT_OUT });

type Message = NonNullable<CapturedRequest['messages']>['kept'][number];

const cleanMessage = (message: Message, redactor: Redactor): Message =>
  message.kind === 'binary' && holdsSecret(message.data, redactor) ? { ...message, data: '', cut: true } : message;
