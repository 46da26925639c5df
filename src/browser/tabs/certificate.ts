// Reads the fingerprint of the certificate with which the last page load failed.
import { createHash } from 'node:crypto';
import { Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';

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
