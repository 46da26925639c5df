// What a request sent: text where it is text, base64 where it is not, and the reason where it was not kept.
import type { Protocol } from 'devtools-protocol';
import { base64Bytes, decodeUtf8 } from './text.ts';

export interface PostData {
  readonly text?: string;
  readonly base64?: string;
  readonly sizeBytes?: number;
  /** Why there is neither text nor base64. */
  readonly why?: 'pending' | 'too_large' | 'stream' | 'unavailable';
}

/** The body that came along with the request; undefined when it sent none, `pending` when Chrome has to be asked for it. */
export const toPostData = (request: Protocol.Network.Request): PostData | undefined => {
  if (!request.hasPostData) return undefined;
  // The entries and not `postData`: that one is not the same bytes when they are not text.
  const entries = request.postDataEntries;
  if (!entries || entries.some((entry) => entry.bytes === undefined)) return { why: 'pending' };
  const bytes = Buffer.concat(entries.map((entry) => Buffer.from(entry.bytes ?? '', 'base64')));
  const text = decodeUtf8(bytes);
  return text === undefined ? { base64: bytes.toString('base64'), sizeBytes: bytes.length } : { text, sizeBytes: bytes.length };
};

/** The body that Chrome answered with when asked. */
export const toFetchedPostData = (postData: string, base64Encoded: boolean | undefined): PostData =>
  base64Encoded ? { base64: postData, sizeBytes: base64Bytes(postData) } : { text: postData, sizeBytes: Buffer.byteLength(postData) };

export const postDataBytes = (data: PostData | undefined): number => (data?.text ?? data?.base64 ?? '').length;
