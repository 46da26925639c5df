// What was sent or received, as it is shown: a JSON value where it is one, else text, within a
// size, with the reason for what is missing. Pure.
import { defined } from '../core/defined.ts';
import type { CapturedRequest, Content } from '../core/captured-request.ts';
import { cutToBytes } from '../core/text.ts';
import { keepsNumbers, parseJsonBody, type JsonBody } from './json-body.ts';
import { binaryShape, NO_SHAPE, buildShape, textShape, type Shape } from './shape.ts';

/** The JSON value of a content, where it is one and whole. */
export const parseContentJson = (
  { text, cut }: Content,
  contentType: string,
): JsonBody | undefined =>
  text === undefined || cut !== undefined ? undefined : parseJsonBody(text, contentType);

/** The shape of an answer: of its body, or of what came over a connection that has no body. */
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
      Object.fromEntries(content.parts.map(({ name, value }) => [name, value ?? 'file'])),
    );
  const json = parseContentJson(content, contentType);
  if (json) return buildShape(json.value);
  if (content.text !== undefined)
    return textShape(content.cut === undefined ? content.text.length : (content.size ?? size));
  if (content.base64 !== undefined) return binaryShape(content.size ?? size);
  if (content.why !== NOT_FETCHED || size === 0) return NO_SHAPE;
  return isText(contentType) ? textShape(size) : binaryShape(size);
};

/** The reason of a body that nobody asked Chrome for. */
export const NOT_FETCHED = 'not fetched';

const isText = (contentType: string): boolean =>
  /^text\/|\b(?:json|xml|javascript|ecmascript|svg|x-www-form-urlencoded)\b/i.test(contentType);

/** Messages that came in, as one array; what is no JSON counts as text. */
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
  /** Bytes; Infinity for all of it. */
  readonly maxBytes: number;
  /** Bytes that are no text are shown too, as base64. */
  readonly binary: boolean;
}

export const showContent = (
  content: Content,
  { contentType, maxBytes, binary }: ShowOptions,
): ShownContent => {
  if (content.parts) return defined({ body: content.parts, body_why: content.cut });
  if (content.text !== undefined) return showText(content.text, content, contentType, maxBytes);
  if (content.base64 === undefined) return defined({ body: null, body_why: content.why });
  if (!binary) return { body: null, body_why: 'binary: raw gives it in base64' };
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
  { size, cut, text, base64 }: Content,
  cutHere: boolean,
  maxBytes: number,
): Partial<ShownContent> => {
  if (!cutHere && cut === undefined) return {};
  return {
    body_truncated: true,
    body_full_size: size ?? Buffer.byteLength(text ?? base64 ?? ''),
    body_why: cutHere
      ? `larger than max_body ${maxBytes}: use path, or a larger max_body`
      : (cut ?? ''),
  };
};

/** Whole groups of four, so that what is left still decodes. */
const cutBase64 = (base64: string, maxBytes: number): string =>
  (base64.length * 3) / 4 <= maxBytes ? base64 : base64.slice(0, Math.floor(maxBytes / 3) * 4);

/**
 * A value that was picked out of a body, as JSON or, where that is too long, as the beginning of
 * its text.
 */
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
