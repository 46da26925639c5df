// Answers the requests that a server sends during a call, such as questions to the user.
import { getField, isRecord } from '../../core/json.ts';
import { fail } from '../../core/failure.ts';
import type { AskClient } from './elicitation.ts';
import { buildErrorResponse, classify, type Id, type Request, RPC } from './protocol.ts';

/** The requests of the server during one call; disposing it ends those that are still open. */
export interface ClientAnswers extends Disposable {
  /** Requests are answered; `notifications/cancelled` ends one. */
  receive(message: unknown): void;
}

/** `ask` gives the answers, `send` sends them to the server. */
export const createClientAnswers = (
  ask: AskClient,
  send: (response: object) => void,
): ClientAnswers => {
  const open = new Map<Id, AbortController>();
  const answer = async ({ id, method, params = {} }: Request): Promise<void> => {
    const ending = new AbortController();
    open.set(id, ending);
    try {
      const result = await ask(method, params, ending.signal);
      const given = isRecord(result) ? result : {};
      if (!ending.signal.aborted) send({ jsonrpc: '2.0', id, result: given });
    } catch {
      // The server does not wait for an answer to a request that it has cancelled.
      const error = { code: RPC.internal, message: 'The client gave no answer.' };
      if (!ending.signal.aborted) send(buildErrorResponse(id, error));
    } finally {
      open.delete(id);
    }
  };
  const cancel = (id: Id): void =>
    open.get(id)?.abort(fail('cancelled', 'The question has ended.'));
  return {
    receive: (message) => {
      const found = classify(message);
      if (found.kind === 'request') void answer(found.message);
      if (getField(message, 'method') === 'notifications/cancelled')
        cancel(getField(getField(message, 'params'), 'requestId') as Id);
    },
    [Symbol.dispose]: () => {
      for (const id of open.keys()) cancel(id);
    },
  };
};
