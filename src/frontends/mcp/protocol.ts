// JSON-RPC 2.0 as MCP uses it: message types and error codes.
import { defined } from '../../core/defined.ts';
import type { Failure } from '../../core/failure.ts';
import { getField, isRecord } from '../../core/json.ts';

export type Id = string | number;
export type RpcParams = Readonly<Record<string, unknown>>;

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly method: string;
  readonly params?: RpcParams;
}

export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: RpcParams;
}

interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: Id | null; readonly error: ErrorBody };

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** The client did not declare the required capability. */
  missingCapability: -32021,
  /** The server refuses the request; `data` contains the reason. */
  refused: -32000,
} as const;

/** For hosts of `--shared`: stays open and reports each change of a resource as progress. */
export const WATCH_METHOD = 'openchrome/watch';

/** A protocol error, as opposed to a failed tool. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const buildResultResponse = (id: Id, result: object): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  result,
});

export const buildErrorResponse = (
  id: Id | null,
  { code, message, data }: ErrorBody,
): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: defined({ code, message, data }),
});

/** Builds a protocol error from a failure that occurred before a tool was called. */
export const buildFailureResponse = (
  failure: Failure,
  rpcCode: number = RPC.refused,
): RpcResponse => {
  const { message, ...data } = failure.toJSON().error;
  return buildErrorResponse(null, { code: rpcCode, message, data });
};

export type RpcMessage =
  | { readonly kind: 'request'; readonly message: Request }
  | { readonly kind: 'notification'; readonly message: Notification }
  | { readonly kind: 'response'; readonly message: object }
  | { readonly kind: 'invalid'; readonly id: Id | null };

/** Classifies an untrusted JSON value as a request, notification, response or invalid message. */
export const classify = (value: unknown): RpcMessage => {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return { kind: 'invalid', id: idOf(value) };
  const { id, method, params } = value;
  const wellFormed = params === undefined || isRecord(params);
  if (typeof method === 'string' && wellFormed) {
    if (id === undefined)
      return { kind: 'notification', message: { ...value, jsonrpc: '2.0', method } };
    if (isId(id)) return { kind: 'request', message: { ...value, jsonrpc: '2.0', id, method } };
  }
  if (method === undefined && isId(id) && (isRecord(value['result']) || isRecord(value['error'])))
    return { kind: 'response', message: value };
  return { kind: 'invalid', id: idOf(value) };
};

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

/** The id for the response, or null if there is none. */
const idOf = (value: unknown): Id | null =>
  isRecord(value) && isId(value['id']) ? value['id'] : null;

// Detects the protocol of a message: 2025 (with a handshake) or 2026 (version in each request).

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
