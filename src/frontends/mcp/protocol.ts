// JSON-RPC 2.0 as MCP uses it: the shapes of messages, and errors with their codes.
import { defined } from '../../core/defined.ts';
import type { Failure } from '../../core/failure.ts';

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
  /** The client has not said that it can do what this needs. */
  missingCapability: -32021,
  /** The server refuses for a reason of its own; the data say which. */
  refused: -32000,
} as const;

/** An answer that is an error of the protocol, not of a tool. */
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

/** A failure that is met before there is a tool to fail, as an error of the protocol. */
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

/** What a parsed JSON value is to us; nothing about it is trusted before. */
export const classify = (value: unknown): RpcMessage => {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return { kind: 'invalid', id: idOf(value) };
  const { id, method, params } = value;
  const wellFormed = params === undefined || isObject(params);
  if (typeof method === 'string' && wellFormed) {
    if (id === undefined)
      return { kind: 'notification', message: value as unknown as Notification };
    if (isId(id)) return { kind: 'request', message: value as unknown as Request };
  }
  if (method === undefined && isId(id) && (isObject(value['result']) || isObject(value['error'])))
    return { kind: 'response', message: value };
  return { kind: 'invalid', id: idOf(value) };
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

/** The id to answer under, where one can be read. */
const idOf = (value: unknown): Id | null =>
  isObject(value) && isId(value['id']) ? value['id'] : null;
