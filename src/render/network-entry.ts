// Renders one request of a listing, as a JSON entry or as one line.
import { defined } from '../core/defined.ts';
import type { CapturedRequest } from '../core/captured-request.ts';
import { textIf } from '../core/text.ts';
import { describeCapturedShape, showContent } from './captured-content.ts';
import type { Shape } from './shape.ts';

export interface NetworkEntry {
  readonly key: string;
  readonly method: string;
  readonly status: number | null;
  readonly url: string;
  readonly ct: string;
  readonly size: number;
  readonly shape?: Shape;
  readonly body?: unknown;
  /** Only if the request is not finished. */
  readonly state?: 'pending' | 'receiving';
  readonly error?: string;
  /** The status that the page received, if it differs from the server's. */
  readonly page_status?: number;
  readonly from?: string;
  readonly redirected_to?: string;
  readonly intercepted?: string;
  readonly body_why?: string;
}

interface EntryOptions {
  /** How the body is rendered: its shape, the body itself, or not at all. */
  readonly body: 'shape' | 'whole' | 'none';
  readonly maxBytes: number;
}

export const toEntry = (
  captured: CapturedRequest,
  { body, maxBytes }: EntryOptions,
): NetworkEntry =>
  defined({
    key: captured.key,
    method: captured.method,
    status: captured.status ?? null,
    url: captured.url,
    ct: captured.contentType,
    size: captured.size,
    state:
      captured.state === 'pending' || captured.state === 'receiving' ? captured.state : undefined,
    error: captured.error,
    page_status: captured.deliveredStatus,
    from: captured.from,
    redirected_to: captured.redirectedTo,
    intercepted: captured.intercepted,
    ...(body === 'shape'
      ? { shape: describeCapturedShape(captured), ...whyMissing(captured) }
      : {}),
    ...(body === 'whole'
      ? showContent(captured.body, { contentType: captured.contentType, maxBytes, binary: true })
      : {}),
  });

/** Reasons for a missing body that are reported, because the body exists. */
const UNEXPLAINED = new Set(['gone', 'unavailable', 'too_large']);

const whyMissing = ({ body: { why } }: CapturedRequest): { body_why?: string } =>
  why !== undefined && UNEXPLAINED.has(why) ? { body_why: why } : {};

/**
 * `status size type key`, without spaces in the first three; the key ends in `?` if the request had
 * a query.
 */
export const toLine = (entry: NetworkEntry): string => {
  const mark = textIf(entry.url.includes('?') && / /.test(entry.key), '?');
  const [key = '', repeat] = entry.key.split(/(?=#\d+$)/);
  return `${statusWord(entry)} ${entry.size} ${typeWord(entry)} ${key}${mark}${repeat ?? ''}`;
};

const statusWord = ({ status, state, error }: NetworkEntry): string => {
  if (error !== undefined) return error.replace(/^net::/, '').replace(/\s+/g, '') || 'failed';
  if (status !== null) return String(status);
  return state ?? '-';
};

/** `application/vnd.api+json` is json. A socket has no content type. */
const typeWord = ({ ct, url }: NetworkEntry): string => {
  const word = ct.split('/').at(-1)?.split('+').at(-1)?.replace(/^x-/, '').replace(/\s+/g, '');
  if (word) return word;
  return /^wss?:/i.test(url) ? 'websocket' : '-';
};
