// Parses the kept part of a multipart/form-data body: names, texts, and the size of files.
import { defined } from '../../core/defined.ts';

export interface FormPart {
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
