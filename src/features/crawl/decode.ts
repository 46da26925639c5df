// Decodes a page with the charset of its BOM, HTTP header or meta tag; never throws.
import { TextDecoder } from 'node:util';

const BOMS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/** The charset declaration is searched in this many bytes. */
const PRESCAN_BYTES = 2048;

export const decode = (body: Uint8Array, charset?: string): string => {
  const bom = BOMS.find(([bytes]) => bytes.every((byte, i) => body[i] === byte))?.[1];
  return decoderFor(bom ?? charset ?? declaredIn(body) ?? 'utf-8').decode(body);
};

const declaredIn = (body: Uint8Array): string | undefined => {
  const head = Buffer.from(
    body.buffer,
    body.byteOffset,
    Math.min(body.byteLength, PRESCAN_BYTES),
  ).toString('latin1');
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1]
  );
};

const decoderFor = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
};

/** Whether the body is binary, regardless of its content type. */
export const isBinary = (body: Uint8Array): boolean => {
  const head = body.subarray(0, 1024);
  if (BOMS.some(([bytes, name]) => name !== 'utf-8' && bytes.every((byte, i) => head[i] === byte)))
    return false;
  return head.includes(0);
};
