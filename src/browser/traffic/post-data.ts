// What a request sent: text where it is text, base64 where it is not, and the reason where it was
// not kept.
import type { Protocol } from 'devtools-protocol';
import { base64Bytes, decodeUtf8 } from './bounded-text.ts';

export interface PostData {
  readonly text?: string;
  readonly base64?: string;
  /** Of what was sent, as far as it is known. */
  readonly sizeBytes?: number;
  /** Parts are missing: Chrome leaves the files of a submitted form out. */
  readonly incomplete?: true;
  /** Why there is neither text nor base64. */
  readonly why?: 'pending' | 'too_large' | 'stream' | 'unavailable';
}

/**
 * The body that came along with the request; undefined when it sent none, `pending` when Chrome has
 * to be asked for it.
 */
export const toPostData = (
  request: Protocol.Network.Request,
  limitBytes: number,
): PostData | undefined => {
  if (!request.hasPostData) return undefined;
  // The entries and not `postData`: that one is not the same bytes when they are not text.
  const entries = request.postDataEntries;
  if (!entries || entries.some((entry) => entry.bytes === undefined)) return { why: 'pending' };
  const sizeBytes = entries.reduce((sum, entry) => sum + base64Bytes(entry.bytes ?? ''), 0);
  if (sizeBytes > limitBytes) return { why: 'too_large', sizeBytes };
  const bytes = Buffer.concat(entries.map((entry) => Buffer.from(entry.bytes ?? '', 'base64')));
  const text = decodeUtf8(bytes);
  return text === undefined ? { base64: bytes.toString('base64'), sizeBytes } : { text, sizeBytes };
};

/** The body that Chrome answered with when asked, of the `sizeBytes` that were sent. */
export const toFetchedPostData = (
  postData: string,
  base64Encoded: boolean | undefined,
  sizeBytes: number,
): PostData => {
  const known = base64Encoded ? base64Bytes(postData) : Buffer.byteLength(postData);
  const incomplete = known < sizeBytes ? { incomplete: true as const } : {};
  return {
    ...(base64Encoded ? { base64: postData } : { text: postData }),
    sizeBytes,
    ...incomplete,
  };
};

export const postDataBytes = (data: PostData | undefined): number =>
  (data?.text ?? data?.base64 ?? '').length;
