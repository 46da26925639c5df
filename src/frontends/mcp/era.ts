// Which protocol a message speaks: 2025 (a handshake, then requests) or 2026 (every request says
// its version).
import { isObject } from './protocol.ts';

/** The revisions that begin with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

const FIRST_STATELESS_VERSION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The version we speak with a client that asks for `requested`. */
export const negotiate = (requested: unknown): string =>
  HANDSHAKE_VERSIONS.find((version) => version === requested) ?? HANDSHAKE_VERSIONS[0];

/**
 * Whether a message claims the stateless protocol, rightly or not: from then on that protocol's
 * rules decide.
 */
export const claimsStateless = (message: unknown): boolean => {
  const params = isObject(message) ? message['params'] : undefined;
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && VERSION_KEY in meta;
};

/** Revisions are dates: they compare as text. */
export const isStatelessVersion = (version: string): boolean => version >= FIRST_STATELESS_VERSION;
