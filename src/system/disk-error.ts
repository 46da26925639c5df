// Converts file system errors to failures.
import { compact, defined } from '../core/defined.ts';
import { fail, type Failure, getErrorMessage } from '../core/failure.ts';

export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export const isMissing = (error: unknown): boolean => getErrorCode(error) === 'ENOENT';

const IN_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file size limit is reached',
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  EROFS: 'the disk is read-only',
  EISDIR: 'a folder has this name',
  ENOTDIR: 'a part of the path is not a folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reported an error',
};

export const storageFailure = (operation: string, path: string, error: unknown): Failure => {
  const code = getErrorCode(error);
  const why = (code && IN_WORDS[code]) || code || getErrorMessage(error);
  return fail(
    'storage_failed',
    `Could not ${operation} ${path}: ${why}.`,
    defined({ path, ...compact({ os_code: code }) }),
    error,
  );
};
