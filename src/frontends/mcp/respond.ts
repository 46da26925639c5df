// Answers requests of the 2025 protocol without the SDK, so that the server starts faster.
import {
  buildErrorResponse,
  buildResultResponse,
  classify,
  type Id,
  negotiate,
  type Notification,
  type Request,
  RPC,
  RpcError,
  type RpcMessage,
  type RpcParams,
  type RpcResponse,
} from './protocol.ts';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from './instructions.ts';
import type { Exchange, RpcMethod, Methods } from './methods.ts';

const initialize = async (params: RpcParams): Promise<object> => ({
  protocolVersion: negotiate(params['protocolVersion']),
  capabilities: CAPABILITIES,
  serverInfo: SERVER_INFO,
  instructions: INSTRUCTIONS,
});

const HANDSHAKE: ReadonlyMap<string, RpcMethod> = new Map([
  ['initialize', initialize],
  ['ping', async () => ({})],
]);

/** Never rejects. */
export const respond = async (
  methods: Methods,
  { id, method, params = {} }: Request,
  exchange: Exchange,
): Promise<RpcResponse> => {
  try {
    const answer = HANDSHAKE.get(method) ?? methods.get(method);
    if (!answer)
      throw new RpcError(RPC.methodNotFound, `Unknown method "${method.slice(0, 100)}".`);
    return buildResultResponse(id, await answer(params, exchange));
  } catch (error) {
    return buildErrorResponse(
      id,
      error instanceof RpcError ? error : new RpcError(RPC.internal, 'Internal error.'),
    );
  }
};

export const invalidRequest = (
  id: Id | null,
  why = 'This is not a JSON-RPC 2.0 message.',
): RpcResponse => buildErrorResponse(id, { code: RPC.invalidRequest, message: why });

const BATCH_LIMIT = 100;

/**
 * Revisions before 2025-06-18 may send batches. Returns undefined if a batch is empty or too large.
 */
const messagesOf = (value: unknown): readonly RpcMessage[] | undefined => {
  if (!Array.isArray(value)) return [classify(value)];
  return value.length > 0 && value.length <= BATCH_LIMIT ? value.map(classify) : undefined;
};

export interface MessageListener {
  onRequest(request: Request): Promise<RpcResponse | undefined>;
  onNotification(notification: Notification): void;
  /** The response to a request of the server. */
  onResponse?(response: object): void;
}

/**
 * Answers one line or body, as a single response or as an array for a batch. Returns undefined if
 * no response is due.
 */
export const answerRequestMessage = async (
  value: unknown,
  listener: MessageListener,
): Promise<RpcResponse | readonly RpcResponse[] | undefined> => {
  const messages = messagesOf(value);
  if (!messages)
    return invalidRequest(null, `A batch must contain between 1 and ${BATCH_LIMIT} messages.`);
  const answers = await Promise.all(messages.map((message) => react(message, listener)));
  const responses = answers.filter((response) => response !== undefined);
  return Array.isArray(value) && responses.length > 0 ? responses : responses[0];
};

const react = async (
  message: RpcMessage,
  listener: MessageListener,
): Promise<RpcResponse | undefined> => {
  if (message.kind === 'request') return listener.onRequest(message.message);
  if (message.kind === 'notification') listener.onNotification(message.message);
  if (message.kind === 'response') listener.onResponse?.(message.message);
  return message.kind === 'invalid' ? invalidRequest(message.id) : undefined;
};
