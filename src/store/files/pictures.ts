// Saves screenshots without a given path under unique names.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { storageFailure } from '../../system/disk-error.ts';
import { replaceFile } from '../../system/replace-file.ts';

interface PictureFile {
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

/** `data` is base64. */
export const savePicture = async (
  folder: string,
  { data, mimeType }: { readonly data: string; readonly mimeType: string },
  now: number = Date.now(),
): Promise<PictureFile> => {
  const bytes = Buffer.from(data, 'base64');
  const time = new Date(now).toISOString().replace(/[:.]/g, '-');
  const path = join(
    folder,
    `screenshot-${time}-${randomBytes(2).toString('hex')}.${findExtension(mimeType)}`,
  );
  await replaceFile(path, bytes);
  return { path, mimeType, sizeBytes: bytes.length };
};

const findExtension = (mimeType: string): string =>
  (/^image\/([a-z0-9]+)/.exec(mimeType)?.[1] ?? 'bin').replace('jpeg', 'jpg');

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Loads a picture that was saved at a path; `data` is base64. */
export const loadPicture = async (
  path: string,
): Promise<{ readonly data: string; readonly mimeType: string }> => {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw storageFailure('read', path, error);
  });
  const mimeType = TYPES[extname(path).toLowerCase()] ?? 'image/jpeg';
  return { data: bytes.toString('base64'), mimeType };
};

/** Writes a file atomically at a path that the caller gave. */
export const saveFile = (path: string, content: string | Uint8Array): Promise<void> =>
  replaceFile(path, content);
