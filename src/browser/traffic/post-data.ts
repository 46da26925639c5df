// The body of a request: text, base64 for binary data, or the reason why it was not kept.
import type { Protocol } from 'devtools-protocol';
import { compact } from '../../core/defined.ts';
import { base64Bytes, decodeUtf8 } from './bounded-text.ts';

export interface PostData {
  readonly text?: string;
  readonly base64?: string;
  /** Size of the sent body, if known. */
  readonly sizeBytes?: number;
  /** Parts are missing: Chrome omits the files of a submitted form. */
  readonly incomplete?: true;
  /** Why neither text nor base64 is set. */
  readonly why?: 'pending' | 'too_large' | 'stream' | 'unavailable';
}

/** The body in the request event; undefined if there is none, `pending` if it must be fetched. */
export const toPostData = (
  request: Protocol.Network.Request,
  limitBytes: number,
): PostData | undefined => {
  if (!request.hasPostData) return undefined;
  // Use the entries: `postData` does not keep the bytes of binary data.
  const entries = request.postDataEntries;
  if (!entries || entries.some((entry) => entry.bytes === undefined)) return { why: 'pending' };
  const sizeBytes = entries.reduce((sum, entry) => sum + base64Bytes(entry.bytes ?? ''), 0);
  if (sizeBytes > limitBytes) return { why: 'too_large', sizeBytes };
  const bytes = Buffer.concat(entries.map((entry) => Buffer.from(entry.bytes ?? '', 'base64')));
  const text = decodeUtf8(bytes);
  return text === undefined ? { base64: bytes.toString('base64'), sizeBytes } : { text, sizeBytes };
};

/** The fetched body of a request that sent `sizeBytes`. */
export const toFetchedPostData = (
  postData: string,
  base64Encoded: boolean | undefined,
  sizeBytes: number,
): PostData => {
  const known = base64Encoded ? base64Bytes(postData) : Buffer.byteLength(postData);
  const incomplete = compact({ incomplete: known < sizeBytes });
  const content = base64Encoded ? { base64: postData } : { text: postData };
  return { ...content, sizeBytes, ...incomplete };
};

export const postDataBytes = (data: PostData | undefined): number =>
  (data?.text ?? data?.base64 ?? '').length;
