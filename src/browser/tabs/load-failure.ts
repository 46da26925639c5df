// Classifies page load failures: certificate, DNS, proxy, TLS or another network error. Pure.
import { createHash } from 'node:crypto';
import { defined } from '../../core/defined.ts';
import { fail, Failure, type FailureCode, type FailureFacts } from '../../core/failure.ts';
import { quoteText, textIf } from '../../core/text.ts';
import { Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';

/** Codes of our own connections whose server rejects the client certificate, or requires one. */
export const REJECTED_CLIENT = 'ECLIENTCERT';
export const MISSING_CLIENT = 'ENOCLIENTCERT';

/** Chrome's name for the second one. */
export const CLIENT_CERT_NEEDED = 'net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED';

const CLIENT_CERTIFICATE_CODES: ReadonlyMap<string, FailureCode> = new Map([
  [MISSING_CLIENT, 'client_certificate_required'],
  ['ERR_SSL_CLIENT_AUTH_CERT_NEEDED', 'client_certificate_required'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client_certificate_required'],
  [REJECTED_CLIENT, 'client_certificate_rejected'],
  ['ERR_BAD_SSL_CLIENT_AUTH_CERT', 'client_certificate_rejected'],
]);

/** Reasons by Chrome's error name and by Node's error code. */
const CERTIFICATE_REASONS: ReadonlyMap<string, string> = new Map([
  ['ERR_CERT_AUTHORITY_INVALID', 'it is self-signed, or its issuer is not trusted'],
  ['ERR_CERT_DATE_INVALID', 'it has expired or is not valid yet'],
  ['ERR_CERT_COMMON_NAME_INVALID', 'it was issued for another host'],
  ['ERR_CERT_REVOKED', 'it was revoked'],
  ['ERR_CERT_WEAK_SIGNATURE_ALGORITHM', 'its signature algorithm is too weak'],
  ['ERR_CERT_WEAK_KEY', 'its key is too weak'],
  ['ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN', 'it does not contain the key that this host has pinned'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its chain contains a self-signed certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its issuer is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'its issuer is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its issuer is not trusted'],
  ['CERT_UNTRUSTED', 'its issuer is not trusted'],
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['CERT_REVOKED', 'it was revoked'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it was issued for another host'],
]);

const DNS_ERROR =
  /^(?:ERR_NAME_NOT_RESOLVED|ERR_NAME_RESOLUTION_FAILED|ERR_DNS_\w+|ENOTFOUND|EAI_AGAIN)$/;
/** The resolver did not answer, so that a retry can succeed. */
const DNS_PASSING =
  /^(?:ERR_NAME_RESOLUTION_FAILED|ERR_DNS_TIMED_OUT|ERR_DNS_SERVER_FAILED|EAI_AGAIN)$/;
const PROXY_AUTH_ERROR = /^(?:ERR_PROXY_AUTH_\w+|EPROXYAUTH)$/;
const PROXY_ERRORS = [
  /^ERR_(?:(?:MANDATORY_)?PROXY|SOCKS|PAC)_\w+$/,
  /^ERR_(?:TUNNEL_CONNECTION_FAILED|NO_SUPPORTED_PROXIES)$/,
  /^EPROXY\w+$/,
];
/** The server does not use TLS on this port, or no version and cipher that Chrome accepts. */
const TLS_ERROR =
  /^ERR_SSL_(?:PROTOCOL_ERROR|VERSION_OR_CIPHER_MISMATCH|UNRECOGNIZED_NAME_ALERT)$|^EPROTO$/;

const TLS_DETAILS: FailureFacts = {
  hint:
    'The TLS handshake failed: check the port, ' +
    'or use http: if the server does not offer https:.',
  retryable: false,
};
const PASSWORD_DETAILS: FailureFacts = {
  situation: 'password_required',
  retryable: false,
};

interface LoadFailureKind {
  readonly code: FailureCode;
  readonly reason?: string;
  readonly details?: FailureFacts;
}

const classifyNetError = (netError: string): LoadFailureKind => {
  const clientCode = CLIENT_CERTIFICATE_CODES.get(netError);
  if (clientCode !== undefined) return { code: clientCode };
  const reason = CERTIFICATE_REASONS.get(netError);
  if (reason !== undefined) return { code: 'certificate_invalid', reason };
  if (/^ERR_CERT(?:IFICATE)?_/.test(netError)) return { code: 'certificate_invalid' };
  if (DNS_ERROR.test(netError))
    return { code: 'dns_failed', details: { retryable: DNS_PASSING.test(netError) } };
  if (PROXY_AUTH_ERROR.test(netError)) return { code: 'proxy_auth_required' };
  if (PROXY_ERRORS.some((error) => error.test(netError))) return { code: 'proxy_failed' };
  if (TLS_ERROR.test(netError)) return { code: 'navigation_failed', details: TLS_DETAILS };
  if (/AUTH_CREDENTIALS/.test(netError))
    return { code: 'navigation_failed', details: PASSWORD_DETAILS };
  return { code: 'navigation_failed' };
};

/**
 * `netError`: Chrome's name with or without `net::`, or the code of a Node error. `fingerprint`:
 * SHA-256 of an invalid certificate.
 */
export const loadFailure = (
  url: string,
  netError: string,
  cause?: unknown,
  fingerprint?: string,
): Failure => {
  const name = netError.replace(/^net::/, '');
  const { code, reason, details = {} } = classifyNetError(name);
  const why = textIf(reason !== undefined, ` (the certificate is not valid: ${reason})`);
  const print = textIf(fingerprint !== undefined, `; SHA-256 fingerprint ${fingerprint}`);
  const message = `${quoteText(url)} could not be loaded: ${netError}${why}${print}.`;
  const facts = defined({ url, net_error: name, ...details, reason, fingerprint });
  return fail(code, message, facts, cause);
};

const LOAD_FAILURE_CODES: ReadonlySet<FailureCode> = new Set([
  'navigation_failed',
  'certificate_invalid',
  'dns_failed',
  'proxy_failed',
  'proxy_auth_required',
  'client_certificate_required',
  'client_certificate_rejected',
]);

/** Whether the error means that a page could not be loaded, for any cause. */
export const isLoadFailure = (error: unknown): error is Failure =>
  error instanceof Failure && LOAD_FAILURE_CODES.has(error.code);

// Reads the fingerprint of the certificate with which the last page load failed.

/** Chrome reports the state of the page as soon as the domain is enabled. */
const STATE_MS = 500;

/** SHA-256 in hex digits; undefined in the headless shell, which does not report certificates. */
export const readFingerprint = async (
  session: CdpSession,
  signal: AbortSignal,
): Promise<string | undefined> => {
  using limit = new Deadline(STATE_MS, undefined, signal);
  const reported = session.next(
    'Security.visibleSecurityStateChanged',
    limit.signal,
    ({ visibleSecurityState }) => visibleSecurityState.certificateSecurityState !== undefined,
  );
  try {
    const [{ visibleSecurityState }] = await Promise.all([
      reported,
      session.send('Security.enable', undefined, limit.signal),
    ]);
    const [first] = visibleSecurityState.certificateSecurityState?.certificate ?? [];
    return first && createHash('sha256').update(Buffer.from(first, 'base64')).digest('hex');
  } catch {
    return undefined; // the failure is reported without a fingerprint
  } finally {
    session.send('Security.disable').catch(() => {}); // the tab is gone
  }
};
