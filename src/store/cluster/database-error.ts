// Converts errors of the database client to failures that never contain the URL or the password.
import { compact } from '../../core/defined.ts';
import { fail, Failure, getErrorMessage } from '../../core/failure.ts';
import { getErrorCode } from '../../system/disk-error.ts';

/** Errors of the connection: the statement may or may not have been executed. */
const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the server did not answer in time',
  EHOSTUNREACH: 'the machine cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the name of the machine is unknown',
  EAI_AGAIN: 'the name of the machine could not be resolved',
  ENOENT: 'its socket does not exist',
  '57P01': 'the server is shutting down',
  '57P02': 'the server has crashed and restarts',
  '57P03': 'the server is starting',
  '57P05': 'the idle session was ended',
  '25P03': 'the idle transaction was ended',
  '25006': 'the server is a read-only standby',
  '53300': 'the server has no free connection',
  '08000': 'the connection failed',
  '08003': 'the connection was closed',
  '08006': 'the connection failed',
};

/** Messages of `pg` for connections that ended without an error code. */
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'Connection ended',
  'Query read timeout',
];

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is not valid for this machine',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
};

/** Errors that no retry can solve. */
const START_PROBLEMS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong',
  '28000': 'this user may not connect from this machine',
  '3D000': 'the database does not exist',
  '42501': 'a right is missing',
};

/** A deadlock or a serialization failure: the transaction was rolled back and can be repeated. */
const REPEATABLE = new Set(['40P01', '40001', '55P03']);

const hasConnectionMessage = (error: unknown): boolean =>
  error instanceof Error && CONNECTION_MESSAGES.some((text) => error.message.startsWith(text));

/** Whether the connection failed, so that the same statement may succeed later. */
export const isConnectionError = (error: unknown): boolean =>
  hasConnectionMessage(error) || (getErrorCode(error) ?? '') in CONNECTION_PROBLEMS;

/** Whether the server rolled the transaction back because of another one. */
export const isConflict = (error: unknown): boolean => REPEATABLE.has(getErrorCode(error) ?? '');

const describeProblem = (error: unknown): string => {
  const code = getErrorCode(error) ?? '';
  const known = CONNECTION_PROBLEMS[code] ?? START_PROBLEMS[code];
  if (known !== undefined) return known;
  const certificate = CERTIFICATE_PROBLEMS[code];
  if (certificate !== undefined) return `its certificate was rejected: ${certificate}`;
  return hasConnectionMessage(error) ? 'the connection was closed' : getErrorMessage(error);
};

/** Removes the password from a text. */
export type HideSecrets = (text: string) => string;

/** The failure of a statement at run time. */
export const databaseFailure = (error: unknown, hide: HideSecrets): Failure => {
  if (error instanceof Failure) return error;
  const code = getErrorCode(error);
  return fail('storage_failed', `The cluster's database failed: ${hide(describeProblem(error))}.`, {
    hint: 'Call again later; if it does not help, run "openchrome doctor --cluster URL".',
    retryable: isConnectionError(error) || isConflict(error),
    ...compact({ database_code: code }),
  });
};

/** The failure of a database that cannot be used at all. */
export const unusable = (message: string, hint: string): Failure =>
  fail('cluster_unusable', message, { hint });

const CERTIFICATE_HINT =
  'Set sslrootcert to the file of the authority, and use the name in the certificate as host.';

/** The failure of the first connection. */
export const connectFailure = (error: unknown, hide: HideSecrets): Failure => {
  if (error instanceof Failure) return error;
  const isCertificate = (getErrorCode(error) ?? '') in CERTIFICATE_PROBLEMS;
  return unusable(
    `No connection to the cluster's database: ${hide(describeProblem(error))}.`,
    isCertificate
      ? CERTIFICATE_HINT
      : 'Check that PostgreSQL runs, and check the URL or the PG* variables.',
  );
};
