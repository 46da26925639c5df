// Renders a request or response body: JSON or text, truncated, with the reason if missing.
import { defined } from '../core/defined.ts';
import type { CapturedRequest, Content } from '../core/captured-request.ts';
import { cutToBytes } from '../core/text.ts';
import { keepsNumbers, parseJsonBody, type JsonBody } from './json-path.ts';
import { binaryShape, NO_SHAPE, buildShape, textShape, type Shape } from './shape.ts';

/** The JSON value of a body, if it is JSON and not truncated. */
export const parseContentJson = (
  { text, cut }: Content,
  contentType: string,
): JsonBody | undefined =>
  text === undefined || cut !== undefined ? undefined : parseJsonBody(text, contentType);

/** The shape of a response: of its body, or of the received messages if it has no body. */
export const describeCapturedShape = (captured: CapturedRequest): Shape => {
  if (captured.shape) return captured.shape;
  if (captured.messages) return shapeOfMessages(captured.messages);
  return describeContentShape(captured.body, captured.contentType, captured.size);
};

export const describeContentShape = (
  content: Content,
  contentType: string,
  size: number,
): Shape => {
  if (content.parts)
    return buildShape(
      Object.fromEntries(content.parts.map(({ name, value = 'file' }) => [name, value])),
    );
  const json = parseContentJson(content, contentType);
  if (json) return buildShape(json.value);
  const { text, base64, cut, size: fullSize = size } = content;
  if (text !== undefined) return textShape(cut === undefined ? text.length : fullSize);
  if (base64 !== undefined) return binaryShape(fullSize);
  if (content.why !== NOT_FETCHED || size === 0) return NO_SHAPE;
  return isText(contentType) ? textShape(size) : binaryShape(size);
};

/** Why a body is missing that was not requested from Chrome. */
export const NOT_FETCHED = 'not fetched';

const isText = (contentType: string): boolean =>
  /^text\/|\b(?:json|xml|javascript|ecmascript|svg|x-www-form-urlencoded)\b/i.test(contentType);

/** The received messages as one array; a message that is not JSON counts as a string. */
const shapeOfMessages = ({ kept, received }: NonNullable<CapturedRequest['messages']>): Shape => {
  const values = kept
    .filter(({ direction }) => direction === 'received')
    .map(({ data, kind }) =>
      kind === 'text' ? (parseJsonBody(data, 'application/json')?.value ?? data) : 'binary',
    );
  if (received === 0) return { $: 'array(0)' };
  return { ...buildShape(values), $: `array(${received})` };
};

interface ShownContent {
  readonly body: unknown;
  readonly body_encoding?: 'base64';
  readonly body_truncated?: true;
  readonly body_full_size?: number;
  readonly body_why?: string;
}

interface ShowOptions {
  readonly contentType: string;
  /** In bytes; Infinity for no limit. */
  readonly maxBytes: number;
  /** Include binary bodies as base64. */
  readonly binary: boolean;
}

export const showContent = (
  content: Content,
  { contentType, maxBytes, binary }: ShowOptions,
): ShownContent => {
  if (content.parts) return defined({ body: content.parts, body_why: content.cut });
  if (content.text !== undefined) return showText(content.text, content, contentType, maxBytes);
  if (content.base64 === undefined) return defined({ body: null, body_why: content.why });
  if (!binary) return { body: null, body_why: 'binary: raw returns it in base64' };
  const whole = cutBase64(content.base64, maxBytes);
  return {
    body: whole,
    body_encoding: 'base64',
    ...cutNotice(content, whole.length < content.base64.length, maxBytes),
  };
};

const showText = (
  text: string,
  content: Content,
  contentType: string,
  maxBytes: number,
): ShownContent => {
  const json = keepsNumbers(text) ? parseContentJson(content, contentType) : undefined;
  if (json && Buffer.byteLength(text) <= maxBytes) return { body: json.value };
  const shown = Number.isFinite(maxBytes) ? cutToBytes(text, maxBytes) : text;
  return { body: shown, ...cutNotice(content, shown.length < text.length, maxBytes) };
};

const cutNotice = (
  { cut = '', base64 = '', text = base64, size = Buffer.byteLength(text) }: Content,
  cutHere: boolean,
  maxBytes: number,
): Partial<ShownContent> => {
  const why = cutHere ? `larger than max_body ${maxBytes}: use path, or a larger max_body` : cut;
  return why === '' ? {} : { body_truncated: true, body_full_size: size, body_why: why };
};

/** Keeps whole groups of four digits, so that the rest can be decoded. */
const cutBase64 = (base64: string, maxBytes: number): string =>
  (base64.length * 3) / 4 <= maxBytes ? base64 : base64.slice(0, Math.floor(maxBytes / 3) * 4);

/** A value from a body as JSON; if that is too long, the beginning of its text. */
export const showValue = (value: unknown, maxBytes: number): ShownContent => {
  const text = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { body: value };
  return {
    body: cutToBytes(text, maxBytes),
    body_truncated: true,
    body_full_size: bytes,
    body_why: `larger than max_body ${maxBytes}: use a longer path, or a larger max_body`,
  };
};
