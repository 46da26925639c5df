// Converts file system errors to failures.
import { compact, defined, ifDefined } from '../core/defined.ts';
import { fail, type Failure, getErrorMessage } from '../core/failure.ts';

export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export const isMissing = (error: unknown): boolean => getErrorCode(error) === 'ENOENT';

interface DiskProblem {
  readonly why: string;
  /** The next step; `PATH` is replaced by the path. */
  readonly hint: string;
}

const SPACE = 'Free some space on the disk of PATH.';
const PERMISSION = 'Check the permissions of PATH, or use another path.';
const OTHER_PATH = 'Use another path than PATH.';

const PROBLEMS: Readonly<Record<string, DiskProblem>> = {
  ENOSPC: { why: 'the disk is full', hint: SPACE },
  EDQUOT: { why: 'the disk quota is used up', hint: SPACE },
  EFBIG: { why: 'the file size limit is reached', hint: OTHER_PATH },
  EACCES: { why: 'the permission is missing', hint: PERMISSION },
  EPERM: { why: 'the permission is missing', hint: PERMISSION },
  EROFS: { why: 'the disk is read-only', hint: OTHER_PATH },
  EEXIST: { why: 'a part of the path is a file', hint: OTHER_PATH },
  ENOENT: { why: 'the file or its folder was not found', hint: OTHER_PATH },
  EISDIR: { why: 'a folder has this name', hint: OTHER_PATH },
  ENOTDIR: { why: 'a part of the path is not a folder', hint: OTHER_PATH },
  EMFILE: { why: 'too many files are open', hint: 'Try again when other programs have ended.' },
  EIO: { why: 'the disk reported an error', hint: 'Check the disk of PATH.' },
};

/** Names the path that failed, which can be outside the home folder. */
export const storageFailure = (operation: string, path: string, error: unknown): Failure => {
  const code = getErrorCode(error);
  const known = ifDefined(code, (code) => PROBLEMS[code]);
  const why = known?.why ?? code ?? getErrorMessage(error);
  return fail(
    'storage_failed',
    `Could not ${operation} ${path}: ${why}.`,
    defined({
      path,
      hint: known?.hint.replace('PATH', () => path),
      ...compact({ os_code: code }),
    }),
    error,
  );
};
