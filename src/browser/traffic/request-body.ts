// The body of a request: text, base64, multipart fields, or the reason why it was not kept.
import type { Protocol } from 'devtools-protocol';
import { compact, defined } from '../../core/defined.ts';
import { base64Bytes, decodeUtf8 } from './bounded-collections.ts';

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

// Parses the kept part of a multipart/form-data body: names, texts, and the size of files.

interface FormPart {
  readonly name: string;
  readonly value?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly sizeBytes?: number;
}

const MAX_PARTS = 200;

/** Undefined if the content type has no boundary, or the body has no parts. */
export const parseMultipart = (body: string, contentType: string): FormPart[] | undefined => {
  const boundary = /^multipart\/form-data\b.*?\bboundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(
    contentType,
  );
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined || !body.includes(`--${mark}`)) return undefined;
  const parts: FormPart[] = [];
  for (const piece of body.split(`--${mark}`).slice(1, MAX_PARTS + 1)) {
    if (piece.startsWith('--')) break;
    const part = toPart(piece);
    if (part) parts.push(part);
  }
  return parts;
};

const toPart = (piece: string): FormPart | undefined => {
  const gap = piece.indexOf('\r\n\r\n');
  if (gap < 0) return undefined;
  const head = piece.slice(0, gap);
  const value = piece.slice(gap + 4).replace(/\r\n$/, '');
  const name = attribute(head, 'name');
  if (name === undefined) return undefined;
  const filename = attribute(head, 'filename');
  const type = /^content-type:\s*([^\r\n]{1,200})/im.exec(head)?.[1];
  if (filename === undefined) return { name, value };
  return defined({ name, filename, type, sizeBytes: Buffer.byteLength(value) });
};

/** Characters of a part's header that are searched for attributes. */
const MAX_HEAD_CHARS = 4000;

const attribute = (head: string, name: string): string | undefined =>
  new RegExp(
    `^content-disposition:[^\\r\\n]*?;[ \\t]{0,9}${name}="([^"\\r\\n]{0,1000})"`,
    'im',
  ).exec(head.slice(0, MAX_HEAD_CHARS))?.[1];
