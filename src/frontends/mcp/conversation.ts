// One client of the 2025 protocol on a connection: requests run in parallel and can be cancelled.
import { fail } from '../../core/failure.ts';
import type { Methods } from './methods.ts';
import type { Id, Notification, Request, RpcResponse } from './protocol.ts';
import { answerRequestMessage, respond } from './respond.ts';

export interface Conversation {
  /** One parsed line: a message, or several in an array. */
  receive(value: unknown): void;
  /** Aborts the pending requests. */
  close(): void;
}

export const createConversation = (
  methods: Methods,
  send: (message: unknown) => void,
): Conversation => {
  const running = new Map<Id, AbortController>();

  const onRequest = async (request: Request): Promise<RpcResponse | undefined> => {
    const abort = new AbortController();
    running.set(request.id, abort);
    const notify = (method: string, params: object): void =>
      send({ jsonrpc: '2.0', method, params });
    const response = await respond(methods, request, { signal: abort.signal, notify });
    if (running.get(request.id) === abort) running.delete(request.id);
    return abort.signal.aborted ? undefined : response; // a cancelled request gets no response
  };

  const onNotification = ({ method, params }: Notification): void => {
    if (method === 'notifications/cancelled')
      running
        .get(params?.['requestId'] as Id)
        ?.abort(fail('cancelled', 'The client cancelled the call.'));
  };

  const receive = async (value: unknown): Promise<void> => {
    const answer = await answerRequestMessage(value, { onRequest, onNotification });
    if (answer) send(answer);
  };

  return {
    receive: (value) => void receive(value),
    close: () => {
      for (const abort of running.values())
        abort.abort(fail('cancelled', 'The client disconnected.'));
    },
  };
};
