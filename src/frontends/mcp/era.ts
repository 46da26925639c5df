// Detects the protocol of a message: 2025 (with a handshake) or 2026 (version in each request).
import { getField, isRecord } from '../../core/json.ts';

/** The revisions that start with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

const FIRST_STATELESS_VERSION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Returns the version to use with a client that requests `requested`. */
export const negotiate = (requested: unknown): string =>
  HANDSHAKE_VERSIONS.find((version) => version === requested) ?? HANDSHAKE_VERSIONS[0];

/**
 * Whether a message uses the stateless protocol, validly or not: its errors then follow that
 * protocol.
 */
export const claimsStateless = (message: unknown): boolean => {
  const params = getField(message, 'params');
  const meta = getField(params, '_meta');
  return isRecord(meta) && VERSION_KEY in meta;
};

/** Revisions are ISO dates: they compare as text. */
export const isStatelessVersion = (version: string): boolean => version >= FIRST_STATELESS_VERSION;
